// Splits rows of lists into cells: CSV, TSV, JSON lines. Internal: for ListFile.
//
// CSV follows RFC 4180. Commas separate fields; fields that contain commas, quotes or line ends are
// in quotes. A quote within quotes is doubled. Lines end with LF or CRLF. A quote that does not
// begin a field is an ordinary character. TSV has fields between tabs, and no quotes. JSON lines
// have an object on each line.
//
// Threads: any number at once. Errors: CellError for an invalid row; the caller adds its place.
#pragma once

#include <sluice/io/sources/list_file.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

// Returns the end of the row that begins at `at`: after its LF, or the end of the text. npos for
// unclosed quotes.
std::size_t end_of_row(std::string_view text, std::size_t at, bool csv);

// Returns the fields of one row, with or without its end of line.
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
  // `places`: the wanted ones of the `fields` fields of each row.
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
