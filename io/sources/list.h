// list_in: the files that a list names as a dataset for Graph::read, with what the list says of
// them.
//
//   auto [jpeg, label] = g.read(list_in("train.csv"));               // columns "path" and "label"
//   auto [jpeg, label, weight] = g.read(list_in<std::int64_t, float>(
//       "train.csv", {.path = "file", .columns = {"label", "weight"}}));
//
// A column of the type Bytes names a file, too, which is read: a mask beside its picture, say.
// Lists of numbers are columns of std::vector<float> and std::vector<std::int64_t>.
//
// A list is CSV (RFC 4180), TSV or JSON lines, as its name ends or ListOptions say. The first row
// names the columns, unless ListOptions::names do. Sample i is row i: the bytes of its file, and
// the columns that are asked for, as the types that are said (cell.h lists them). Paths that are
// not absolute begin where the list lies. Blank lines count for nothing. With an index, decoders
// use it as with files_in.
//
// Ownership: List is a small handle on what was read of the list once, when it was opened; copies
// are cheap. Threads: any number at once. Errors: IoError for a list that is missing, empty, has
// quotes that do not close or lacks a column; BuildError for options that do not fit. What is wrong
// with one row, or its file, is the error of its sample, with the list, the line, the column and
// the value.
#pragma once

#include <sluice/graph/plan/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/sources/cell.h>
#include <sluice/io/sources/files.h>
#include <sluice/runtime/bytes.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

class JpegIndex;

enum class ListFormat : std::uint8_t {
  by_name,  // .csv, .tsv, .jsonl or .ndjson
  csv,
  tsv,
  json_lines  // an object on each line
};

struct ListOptions {
  std::string path = "path";  // the column that names the file
  std::vector<std::string> columns = {"label"};
  ListFormat format = ListFormat::by_name;
  // Of all columns, for a list whose first row is a sample already.
  std::vector<std::string> names = {};
  std::string folder = {};  // where paths begin; empty: where the list lies
  std::shared_ptr<JpegIndex> index = {};
  ReadParts parts = ReadParts::cached;
};

// What a column of a list can be read as. Bytes: the file that it names.
template <class T>
concept ListColumn = std::same_as<T, Bytes> || CellType<T>;

namespace detail {

// What is wanted of one row: its columns, in the order in which they were asked for.
struct ListRow {
  struct Text {
    std::string text;
    Cell::Kind kind = Cell::Kind::any;
  };
  std::uint64_t line = 0;  // of the list, from 1
  std::vector<Text> cells;
  std::string path;  // of the file
};

class ListRows {
 public:
  // `types`: how many there are for the columns.
  ListRows(const std::string& list, const ListOptions& options, std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  const std::string& fingerprint() const;
  SourceReads reads() const;
  ListRow row(std::int64_t i) const;
  Bytes read(std::int64_t i, const ListRow& row) const;
  template <ListColumn T>
  T get(const ListRow& row, std::size_t column) const {
    if constexpr (std::is_same_v<T, Bytes>) {
      return read_column(row, column);
    } else {
      T value{};
      try {
        read_cell({row.cells[column].text, row.cells[column].kind}, value);
      } catch (const CellError& error) {
        fail(row, column, error.what());
      }
      return value;
    }
  }

 private:
  struct Shared;
  Bytes read_column(const ListRow& row, std::size_t column) const;
  [[noreturn]] void fail(const ListRow& row, std::size_t column, const char* what) const;
  std::shared_ptr<const Shared> shared_;
};

}  // namespace detail

template <ListColumn... T>
class List {
 public:
  explicit List(const std::string& list, const ListOptions& options = {})
      : rows_(list, options, sizeof...(T)) {}

  std::int64_t size() const { return rows_.size(); }
  // The path of the file of row i; where the row cannot be read, the list and the line.
  std::string name(std::int64_t i) const { return rows_.name(i); }
  // For checkpoints: tells lists by their text.
  const std::string& fingerprint() const { return rows_.fingerprint(); }
  // Of the files of the rows, so far; for stats().
  SourceReads reads() const { return rows_.reads(); }
  // What the list says of row i, without its file; those of columns are read.
  std::tuple<T...> columns(std::int64_t i) const {
    return columns_of(rows_.row(i), std::index_sequence_for<T...>());
  }
  std::tuple<Bytes, T...> read(std::int64_t i) const {
    const detail::ListRow row = rows_.row(i);
    std::tuple<T...> columns = columns_of(row, std::index_sequence_for<T...>());
    return std::tuple_cat(std::tuple<Bytes>(rows_.read(i, row)), std::move(columns));
  }

  // For Graph::read.
  static constexpr bool blocks = true;
  std::tuple<Bytes, T...> operator()(const SampleInfo& info) const { return read(info.index); }

 private:
  template <std::size_t... I>
  std::tuple<T...> columns_of(const detail::ListRow& row, std::index_sequence<I...> /*all*/) const {
    return std::tuple<T...>{rows_.get<T>(row, I)...};
  }
  detail::ListRows rows_;
};

// The files of a list, and its columns as these types.
template <ListColumn... T>
List<T...> list_in(const std::string& list, const ListOptions& options = {}) {
  return List<T...>(list, options);
}
// The files of a list, and a whole number of each.
List<std::int64_t> list_in(const std::string& list, const ListOptions& options = {});

}  // namespace sluice
