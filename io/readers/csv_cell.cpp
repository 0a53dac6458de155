#include <sluice/io/readers/csv_cell.h>
#include <sluice/runtime/text.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace sluice::detail {
namespace {

[[noreturn]] void refuse_cell(const Cell& cell, const std::string& wanted) {
  const char* is = " is not ";
  if (cell.kind == Cell::Kind::text) is = " is text, not ";
  if (cell.kind == Cell::Kind::list) is = " is a list, and not ";
  throw CellError(in_quotes(cell.text) + is + wanted);
}

template <class T>
void read_number(const Cell& cell, const std::string& wanted, T& out) {
  if (cell.kind == Cell::Kind::text || cell.kind == Cell::Kind::list) refuse_cell(cell, wanted);
  const std::string_view text = without_spaces(cell.text);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, out);
  if (error == std::errc::result_out_of_range && stopped == end)
    refuse_cell(cell, wanted + ": it is out of range");
  if (error != std::errc() || stopped != end) refuse_cell(cell, wanted);
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(out)) refuse_cell(cell, wanted);
  }
}

using Json = nlohmann::json;

bool is_one(const Json& number, float& out) {
  if (!number.is_number()) return false;
  const auto exact = number.get<double>();
  out = static_cast<float>(exact);
  return std::isfinite(out) && (out != 0) == (exact != 0);
}
bool is_one(const Json& number, std::int64_t& out) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!number.is_number_integer()) return false;
  if (number.is_number_unsigned() && number.get<std::uint64_t>() > kMost) return false;
  out = number.get<std::int64_t>();
  return true;
}

template <class T>
bool add_all(const Json& list, std::vector<T>& out) {
  for (const Json& number : list) {
    T one{};
    if (!is_one(number, one)) return false;
    out.push_back(one);
  }
  return true;
}

template <class T>
void read_list(const Cell& cell, const std::string& wanted, std::vector<T>& out) {
  out.clear();
  const Json list = Json::parse(cell.text, nullptr, false);
  bool good = cell.kind != Cell::Kind::text && list.is_array();
  if (good && !list.empty() && list[0].is_array()) {
    for (const Json& row : list)
      good = good && row.is_array() && row.size() == list[0].size() && add_all(row, out);
  } else {
    good = good && add_all(list, out);
  }
  if (!good) refuse_cell(cell, "a list of " + wanted + ", or of such lists of one length");
}

}  // namespace

void read_cell(const Cell& cell, std::vector<float>& out) {
  read_list(cell, "finite numbers of 32 bits", out);
}
void read_cell(const Cell& cell, std::vector<std::int64_t>& out) {
  read_list(cell, "whole numbers", out);
}

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
    refuse_cell(cell, "true or false");
  out = yes;
}

void read_cell(const Cell& cell, std::string& out) {
  if (cell.kind == Cell::Kind::other || cell.kind == Cell::Kind::list) refuse_cell(cell, "text");
  out = cell.text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return "'" + escape_control_chars(text) + "'";
  return "'" + escape_control_chars(text.substr(0, kMost)) + "...' (" +
         std::to_string(text.size()) + " bytes)";
}

}  // namespace sluice::detail
