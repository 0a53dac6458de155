#include <sluice/io/http/digest.h>
#include <sluice/io/http/request.h>
#include <sluice/io/sources/cell.h>
#include <sluice/runtime/letter_case.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <memory>

namespace sluice::detail {
namespace {

struct Known {
  Checksum::Kind kind;
  const char* name;
  std::size_t bytes;
};
constexpr Known kKnown[] = {{Checksum::Kind::sha256, "sha256", 32},
                            {Checksum::Kind::md5, "md5", 16},
                            {Checksum::Kind::crc32c, "crc32c", 4},
                            {Checksum::Kind::crc32, "crc32", 4}};

const Known& known(Checksum::Kind kind) {
  return *std::find_if(std::begin(kKnown), std::end(kKnown),
                       [&](const Known& one) { return one.kind == kind; });
}

// The bytes in hexadecimal; empty if the text is not base64.
std::string hex_of_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return hex_of({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::optional<Checksum> made(const Known& one, std::string digits) {
  if (digits.size() != 2 * one.bytes) return {};
  return Checksum{one.kind, std::move(digits)};
}

}  // namespace

std::optional<Checksum> Checksum::of_text(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const bool is_named = colon != std::string_view::npos;
  const std::string name = is_named ? lower(text.substr(0, colon)) : std::string();
  std::string digits = lower(is_named ? text.substr(colon + 1) : text);
  const bool is_hex = std::all_of(digits.begin(), digits.end(),
                                  [](unsigned char c) { return std::isxdigit(c) != 0; });
  for (const Known& one : kKnown) {
    const bool is_it = is_named ? name == one.name : one.bytes > 4;
    if (is_it && is_hex && digits.size() == 2 * one.bytes) return made(one, std::move(digits));
  }
  throw CellError(in_quotes(text) +
                  " is no checksum: it is sha256:, md5:, crc32c: or crc32: with its hexadecimal "
                  "digits, or the 64 digits of a SHA-256 or 32 of an MD5 alone");
}

std::optional<Checksum> Checksum::of_field(std::string_view name, std::string_view value) {
  const std::string field = lower(name);
  std::string_view algorithm;
  if (field == "content-md5") algorithm = "md5";
  if (field.starts_with("x-amz-checksum-")) algorithm = std::string_view(field).substr(15);
  if (field == "x-goog-hash") {  // "crc32c=...", "md5=...", in one field or several
    const std::size_t equals = value.find('=');
    if (equals == std::string_view::npos) return {};
    algorithm = value.substr(0, equals);
    value.remove_prefix(equals + 1);
    value = value.substr(0, value.find(','));
  }
  for (const Known& one : kKnown) {
    if (algorithm == one.name) return made(one, hex_of_base64(value));
  }
  return {};
}

const char* Checksum::name() const { return known(kind).name; }

std::string Checksum::digits_of(std::span<const std::uint8_t> bytes) const {
  switch (kind) {
    case Kind::sha256:
      return hex_of(sha256_of(bytes));
    case Kind::md5:
      return hex_of(md5_of(bytes));
    case Kind::crc32c:
      return hex_of(crc32c_of(bytes));
    case Kind::crc32:
      return hex_of(crc32_of(bytes));
  }
  return {};
}

HttpEpochs::HttpEpochs() : epoch_(std::make_shared<std::atomic<std::int64_t>>(0)) {}

}  // namespace sluice::detail
