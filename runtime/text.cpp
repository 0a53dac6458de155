#include <sluice/runtime/text.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

namespace sluice {

std::string lower(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all;
}

bool equal_in_any_case(std::string_view one, std::string_view other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

std::string_view without_spaces(std::string_view text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

namespace {

// Returns the number of bytes of the printable character at the beginning of `text`; 0 if there is
// none.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  // C1 controls, and characters that break lines or turn the direction of writing.
  const bool control =
      code < 0xa0 || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return code < kLeast[length] || code > 0x10ffff || surrogate || control ? 0 : length;
}

}  // namespace

std::string escape_control_chars(std::string_view name) {
  std::string text;
  text.reserve(name.size());
  while (!name.empty()) {
    const std::size_t length = printable_length(name);
    if (length > 0) {
      text += name.substr(0, length);
      name.remove_prefix(length);
      continue;
    }
    constexpr char kDigits[] = "0123456789abcdef";
    const char c = name.front();
    name.remove_prefix(1);
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\r') {
      text += "\\r";
    } else {
      const auto value = static_cast<std::uint8_t>(c);
      text += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
    }
  }
  return text;
}

std::string shortened(std::string_view text) {
  // A text that was shortened before, and then got a short prefix, stays as it is.
  constexpr std::size_t kMost = 8500, kBegin = 6000, kEnd = 2000;
  if (text.size() <= kMost) return std::string(text);
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t begin = kBegin, end = text.size() - kEnd;
  while (begin > 0 && continues(begin)) --begin;
  while (continues(end)) ++end;
  return std::string(text.substr(0, begin)) + " ... (" + std::to_string(end - begin) +
         " bytes were left out here) ... " + std::string(text.substr(end));
}

}  // namespace sluice
