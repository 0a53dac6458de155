// Cell: the text of one sample in one column of a dataset, and its conversion to a type. For the
// sources; users see the types only.
//
//   std::int32_t, std::int64_t   a whole number
//   float, double                a finite number
//   bool                         true, false, 1 or 0
//   std::string                  the text as it is
//   std::vector<float>           finite numbers: a JSON list of them, or of such lists of one
//                                length, one after the other
//   std::vector<std::int64_t>    whole numbers, the same
//
// Numbers may be surrounded by spaces and line ends. Ownership: a Cell is a view. Threads: any.
// Errors: CellError, which says what is wrong with the text; the caller adds the place.
#pragma once

#include <sluice/runtime/error.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

// The types that a column can be read as.
template <class T>
concept CellType =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, float> ||
    std::same_as<T, double> || std::same_as<T, bool> || std::same_as<T, std::string> ||
    std::same_as<T, std::vector<float>> || std::same_as<T, std::vector<std::int64_t>>;

namespace detail {

struct Cell {
  std::string_view text;
  // The kind of the value, if the format (JSON) distinguishes text, lists of numbers and others.
  enum class Kind : std::uint8_t { any, text, list, other } kind = Kind::any;
};

class CellError : public Error {
 public:
  using Error::Error;
};

void read_cell(const Cell& cell, std::int32_t& out);
void read_cell(const Cell& cell, std::int64_t& out);
void read_cell(const Cell& cell, float& out);
void read_cell(const Cell& cell, double& out);
void read_cell(const Cell& cell, bool& out);
void read_cell(const Cell& cell, std::string& out);
void read_cell(const Cell& cell, std::vector<float>& out);
void read_cell(const Cell& cell, std::vector<std::int64_t>& out);

// Returns a tuple with get.operator()<T>(number of the column) for each column.
template <class... T, class Get>
std::tuple<T...> tuple_of_columns([[maybe_unused]] const Get& get) {
  return [&]<std::size_t... I>(std::index_sequence<I...> /*all*/) {
    return std::tuple<T...>{get.template operator()<T>(I)...};
  }
  (std::index_sequence_for<T...>());
}

// Returns a text as messages quote it: printable, and shortened if it is long.
std::string in_quotes(std::string_view text);

}  // namespace detail
}  // namespace sluice
