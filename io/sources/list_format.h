// How rows of lists are taken apart: CSV, TSV, JSON lines. Internal: for ListFile.
//
// CSV is as RFC 4180 has it: fields between commas, in quotes where they hold commas, quotes or
// ends of lines; a quote within quotes is doubled; lines end with LF or CRLF. A quote that does not
// begin a field is a character like others. TSV has fields between tabs, and no quotes. JSON lines
// have an object on each line.
//
// Threads: any number at once. Errors: CellError for a row that cannot be; its place is for others
// to add.
#pragma once

#include <sluice/io/sources/list_file.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

// Where the row ends that begins at `at`: behind its LF, or at the end of the text. npos for quotes
// that do not close.
std::size_t end_of_row(std::string_view text, std::size_t at, bool csv);

// The fields of one row, with or without its end of line.
std::vector<std::string> fields_of(std::string_view row, bool csv);

class ListFile::Format {
 public:
  Format() = default;
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;
  virtual ~Format() = default;
  virtual std::vector<ListRow::Text> cells(std::string_view row) const = 0;
};

class FieldRows : public ListFile::Format {
 public:
  // `places` of the wanted fields, of `fields` in each row.
  FieldRows(bool csv, std::vector<std::size_t> places, std::size_t fields)
      : csv_(csv), places_(std::move(places)), fields_(fields) {}
  std::vector<ListRow::Text> cells(std::string_view row) const override;

 private:
  bool csv_;
  std::vector<std::size_t> places_;
  std::size_t fields_;
};

class JsonRows : public ListFile::Format {
 public:
  explicit JsonRows(std::vector<std::string> names) : names_(std::move(names)) {}
  std::vector<ListRow::Text> cells(std::string_view row) const override;

 private:
  std::vector<std::string> names_;
};

}  // namespace sluice::detail
