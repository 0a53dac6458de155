#include <sluice/io/http/answer_head.h>
#include <sluice/io/sources/cell.h>
#include <sluice/runtime/letter_case.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace sluice::detail {
namespace {

std::string_view without_spaces(std::string_view text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

template <class T>
bool pass_number(std::string_view& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool pass(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  if (to == std::string_view::npos) return {};
  return text.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

bool AnswerHead::take(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = {};
    line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    (void)pass_number(line, status);
    reason = without_spaces(line);
    return true;
  }
  if (without_spaces(line).empty()) {
    is_whole = true;
    return false;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = without_spaces(line.substr(colon + 1));
  if (equal_in_any_case(name, "etag")) etag = value;
  if (equal_in_any_case(name, "last-modified")) last_modified = value;
  if (equal_in_any_case(name, "content-encoding")) encoding = value;
  if (equal_in_any_case(name, "content-range")) content_range = value;
  if (equal_in_any_case(name, "content-length")) lengths.emplace_back(value);
  if (equal_in_any_case(name, "transfer-encoding")) is_chunked = true;
  if (equal_in_any_case(name, "connection")) closes = !equal_in_any_case(value, "keep-alive");
  if (equal_in_any_case(name, "x-goog-stored-content-encoding")) stored_encoding = value;
  if (equal_in_any_case(name, "warning")) has_warned_of_change |= value.starts_with("214");
  if (auto checksum = Checksum::of_field(name, value)) checksums.push_back(std::move(*checksum));
  return true;
}

std::optional<AnswerHead::Part> AnswerHead::part() const {
  std::string_view text = content_range;
  Part part;
  if (!pass(text, "bytes ") || !pass_number(text, part.first) || !pass(text, "-") ||
      !pass_number(text, part.last) || !pass(text, "/"))
    return {};
  std::uint64_t size = 0;
  if (text != "*") {
    if (!pass_number(text, size) || !text.empty() || part.last >= size) return {};
    part.size = size;
  }
  if (part.last < part.first) return {};
  return part;
}

std::string AnswerHead::wrong_length() const {
  std::string_view first;
  for (const std::string& field : lengths) {
    for (std::string_view rest = field;;) {  // proxies join fields: "5, 5"
      const std::size_t comma = rest.find(',');
      const std::string_view length = without_spaces(rest.substr(0, comma));
      std::string_view left = length;
      std::int64_t number = 0;
      if (length.starts_with('-') || !pass_number(left, number) || !left.empty()) {
        return "the server says that it has " + in_quotes(length) +
               " bytes (Content-Length), which is no number from 0 to 2^63 - 1";
      }
      if (!first.empty() && first != length) {
        return "the server says two lengths of it (Content-Length), " + std::string(first) +
               " and " + std::string(length);
      }
      first = length;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return {};
}

bool AnswerHead::is_transformed() const {
  return status == 203 || has_warned_of_change ||
         (!stored_encoding.empty() && !equal_in_any_case(stored_encoding, "identity"));
}

std::string AnswerHead::in_words(std::string_view body) const {
  std::string words = std::to_string(status);
  if (!reason.empty()) words += " " + printable(reason.substr(0, 60));
  const std::string_view code = between(body, "<Code>", "</Code>");
  if (!code.empty()) {
    const std::string_view message = between(body, "<Message>", "</Message>");
    return words + ": " +
           in_quotes(std::string(code) + (message.empty() ? "" : ": ") + std::string(message));
  }
  body = without_spaces(body);
  body = without_spaces(body.substr(0, body.find('\n')));
  return body.empty() || body.front() == '<' ? words : words + ": " + in_quotes(body);
}

}  // namespace sluice::detail
