// A cell: what a dataset says of one sample in one column, as text, and as the type that a program
// wants it to be. For the sources; users see the types only.
//
//   std::int32_t, std::int64_t   a whole number
//   float, double                a finite number
//   bool                         true, false, 1 or 0
//   std::string                  the text as it is
//   std::vector<float>           finite numbers: a JSON list of them, or of such lists of one
//   length, std::vector<std::int64_t>    one after the other; whole numbers, the same
//
// Around numbers there may be spaces and ends of lines. Ownership: a Cell is a view. Threads: any.
// Errors: CellError, which says what is wrong with the text; whoever knows the place adds it.
#pragma once

#include <sluice/runtime/error.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// What a column can be read as.
template <class T>
concept CellType =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, float> ||
    std::same_as<T, double> || std::same_as<T, bool> || std::same_as<T, std::string> ||
    std::same_as<T, std::vector<float>> || std::same_as<T, std::vector<std::int64_t>>;

namespace detail {

struct Cell {
  std::string_view text;
  // Where texts, lists of numbers and the rest are told apart (JSON), what this is.
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

// A text as messages quote it: printable, and the beginning of one that is long.
std::string in_quotes(std::string_view text);

}  // namespace detail
}  // namespace sluice
