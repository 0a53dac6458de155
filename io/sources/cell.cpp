#include <sluice/io/sources/cell.h>
#include <sluice/runtime/printable.h>

#include <charconv>
#include <cmath>
#include <system_error>
#include <type_traits>

namespace sluice::detail {
namespace {

std::string_view without_spaces(std::string_view text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

[[noreturn]] void refuse(const Cell& cell, const std::string& wanted) {
  throw CellError(in_quotes(cell.text) +
                  (cell.kind == Cell::Kind::text ? " is text, not " : " is not ") + wanted);
}

template <class T>
void read_number(const Cell& cell, const std::string& wanted, T& out) {
  if (cell.kind == Cell::Kind::text) refuse(cell, wanted);
  const std::string_view text = without_spaces(cell.text);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, out);
  if (error == std::errc::result_out_of_range && stopped == end)
    refuse(cell, wanted + ": it is out of range");
  if (error != std::errc() || stopped != end) refuse(cell, wanted);
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(out)) refuse(cell, wanted);
  }
}

}  // namespace

void read_cell(const Cell& cell, std::int32_t& out) {
  read_number(cell, "a whole number of 32 bits", out);
}
void read_cell(const Cell& cell, std::int64_t& out) { read_number(cell, "a whole number", out); }
void read_cell(const Cell& cell, float& out) { read_number(cell, "a finite number", out); }
void read_cell(const Cell& cell, double& out) { read_number(cell, "a finite number", out); }

void read_cell(const Cell& cell, bool& out) {
  const std::string_view text = without_spaces(cell.text);
  const bool yes = text == "true" || text == "1";
  if (cell.kind == Cell::Kind::text || (!yes && text != "false" && text != "0"))
    refuse(cell, "true or false");
  out = yes;
}

void read_cell(const Cell& cell, std::string& out) {
  if (cell.kind == Cell::Kind::other) refuse(cell, "text");
  out = cell.text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return "'" + printable(text) + "'";
  return "'" + printable(text.substr(0, kMost)) + "...' (" + std::to_string(text.size()) +
         " bytes)";
}

}  // namespace sluice::detail
