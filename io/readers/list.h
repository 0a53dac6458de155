// list_in: a dataset of the files that a list names, with the list's columns, for Graph::read.
//
//   auto [jpeg, label] = g.read(list_in("train.csv"));               // columns "path" and "label"
//   auto [jpeg, label, weight] = g.read(list_in<std::int64_t, float>(
//       "train.csv", {.path = "file", .columns = {"label", "weight"}}));
//
// A column of type Bytes also names a file, which is read: a mask for the image, for example. Lists
// of numbers are columns of std::vector<float> and std::vector<std::int64_t>.
//
// A list is CSV (RFC 4180), TSV or JSON lines, by the ending of its name or by ListOptions. The
// first row names the columns, unless ListOptions::names does. Sample i is row i: the bytes of its
// file, and the requested columns as the requested types (csv_cell.h lists them). Relative paths
// start from the list's folder. Blank lines are ignored. With an index, decoders use it as with
// files_in.
//
// Ownership: List is a small handle on the list's text, which is read once, when the list is
// opened; copies are cheap. Threads: any number at once. Errors: IoError for a list that is
// missing, is empty, has unclosed quotes or lacks a column; BuildError for options that do not fit.
// A broken row or file fails its sample only, with an error that names the list, the line, the
// column and the value.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
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
  std::string path = "path";  // the column with the paths of the files
  std::vector<std::string> columns = {"label"};
  ListFormat format = ListFormat::by_name;
  // The names of all columns, for a list whose first row is already a sample.
  std::vector<std::string> names = {};
  std::string folder = {};  // the base of relative paths; empty: the list's folder
  std::shared_ptr<JpegIndex> index = {};
  ReadParts parts = ReadParts::cached;
  // Needs an index that `sluice index` has made of `folder`. Files that a column of type Bytes
  // names are not verified.
  Verify verify = Verify::never;
};

// The types that a column of a list can be read as. Bytes: the file that it names.
template <class T>
concept ListColumn = std::same_as<T, Bytes> || CellType<T>;

namespace detail {

// The wanted columns of one row, in the requested order.
struct ListRow {
  struct Text {
    std::string text;
    Cell::Kind kind = Cell::Kind::any;
  };
  std::uint64_t line = 0;  // in the list, from 1
  std::vector<Text> cells;
  std::string path;  // of the file
};

class ListRows {
 public:
  // `types`: the number of types for the columns.
  ListRows(const std::string& list, const ListOptions& options, std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  const std::string& fingerprint() const;
  SourceReads reads() const;
  ListRow row(std::int64_t i) const;
  Bytes read(std::int64_t i, const ListRow& row, std::int64_t epoch = 0) const;
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
  // The path of the file of row i; if the row cannot be read, the list and the line.
  std::string name(std::int64_t i) const { return rows_.name(i); }
  // For checkpoints: identifies the list by its text.
  const std::string& fingerprint() const { return rows_.fingerprint(); }
  // The amount read from the rows' files so far; for stats().
  SourceReads reads() const { return rows_.reads(); }
  // Returns the columns of row i without reading its file. Files of columns of type Bytes are read.
  std::tuple<T...> columns(std::int64_t i) const { return columns_of(rows_.row(i)); }
  // Verify::sample depends on the epoch.
  std::tuple<Bytes, T...> read(std::int64_t i, std::int64_t epoch = 0) const {
    const detail::ListRow row = rows_.row(i);
    std::tuple<T...> columns = columns_of(row);
    return std::tuple_cat(std::tuple<Bytes>(rows_.read(i, row, epoch)), std::move(columns));
  }

  // For Graph::read.
  static constexpr bool blocks = true;
  std::tuple<Bytes, T...> operator()(const SampleInfo& info) const {
    return read(info.index, info.epoch);
  }

 private:
  std::tuple<T...> columns_of(const detail::ListRow& row) const {
    return detail::tuple_of_columns<T...>(
        [&]<class C>(std::size_t column) { return rows_.template get<C>(row, column); });
  }
  detail::ListRows rows_;
};

// The files of a list, with its columns as these types.
template <ListColumn... T>
List<T...> list_in(const std::string& list, const ListOptions& options = {}) {
  return List<T...>(list, options);
}
// The files of a list, with one column of integers.
List<std::int64_t> list_in(const std::string& list, const ListOptions& options = {});

}  // namespace sluice
