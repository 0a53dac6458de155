#include <sluice/io/sources/files.h>
#include <sluice/io/sources/fingerprint.h>
#include <sluice/io/sources/list_file.h>
#include <sluice/io/sources/list_format.h>
#include <sluice/io/sources/open_file.h>
#include <sluice/runtime/letter_case.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {
namespace {

std::string name_of_list(const std::string& path) { return "the list '" + printable(path) + "'"; }

ListFormat format_of(const std::string& path, ListFormat said) {
  if (said != ListFormat::by_name) return said;
  const std::string name = lower(path);
  if (name.ends_with(".csv")) return ListFormat::csv;
  if (name.ends_with(".tsv")) return ListFormat::tsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return ListFormat::json_lines;
  throw BuildError(name_of_list(path) +
                   " has a name that does not end in .csv, .tsv, .jsonl or .ndjson; rename it, or "
                   "say .format");
}

// Returns the place of each wanted column in a row; the last one is that of the paths.
std::vector<std::size_t> places_of(const std::string& list, const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& name = wanted[i];
    const auto found = std::count(names.begin(), names.end(), name);
    if (found != 1) {
      std::string all;
      for (const std::string& one : names) all += (all.empty() ? "" : ", ") + in_quotes(one);
      throw IoError(list + " has " + (found == 0 ? "no column " : "more than one column ") +
                    in_quotes(name) + "; its columns are " + all +
                    (found == 0 && i + 1 == wanted.size()
                         ? "; say which of them names the files (the program: --path NAME)"
                         : ""));
    }
    places.push_back(
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  return places;
}

// Goes from row to row.
class Lines {
 public:
  // `list` for errors.
  Lines(std::string_view text, bool csv, const std::string& list)
      : text_(text), csv_(csv), list_(list) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the byte order mark that some programs write
  }
  // Skips blank lines. Returns true if a row follows.
  bool find() {
    for (;;) {
      const std::string_view rest = text_.substr(at_);
      const std::size_t blank = rest.starts_with('\n') ? 1 : rest.starts_with("\r\n") ? 2 : 0;
      if (blank == 0) return !rest.empty();
      at_ += blank;
      ++line_;
    }
  }
  void pass() {
    const std::size_t end = this->end();
    const std::string_view row = text_.substr(at_, end - at_);
    line_ += static_cast<std::uint64_t>(std::count(row.begin(), row.end(), '\n'));
    at_ = end;
  }
  std::vector<std::string> fields() const {
    try {
      return fields_of(text_.substr(at_, end() - at_), csv_);
    } catch (const CellError& error) {
      fail(error.what());
    }
  }
  std::size_t at() const { return at_; }
  std::uint64_t line() const { return line_; }

 private:
  std::size_t end() const {
    const std::size_t end = end_of_row(text_, at_, csv_);
    if (end == std::string_view::npos) fail("a quote opens in this row that does not close");
    return end;
  }
  [[noreturn]] void fail(const char* what) const {
    throw IoError(list_ + ", line " + std::to_string(line_) + ": " + what);
  }
  std::string_view text_;
  bool csv_;
  const std::string& list_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace

ListFile::ListFile(std::string path, const ListOptions& options)
    : path_(std::move(path)), columns_(options.columns) {
  columns_.push_back(options.path);
  text_ = OpenFile(path_).content();
  const ListFormat format = format_of(path_, options.format);
  if (format == ListFormat::json_lines && !options.names.empty())
    throw BuildError("list_in: the rows of JSON lines name their columns; leave .names out");
  csv_ = format == ListFormat::csv;
  Fingerprint print;
  print.add(text_).add(static_cast<std::uint64_t>(format));
  for (const std::string& name : columns_) print.add(name);
  for (const std::string& name : options.names) print.add(name);
  fingerprint_ = print.text();
  find_rows(options, format);
}

void ListFile::find_rows(const ListOptions& options, ListFormat format) {
  const std::string list = name_of_list(path_);
  Lines lines(text_, csv_, list);
  if (format == ListFormat::json_lines) {
    format_ = std::make_unique<JsonRows>(columns_);
  } else {
    std::vector<std::string> names = options.names;
    if (names.empty() && lines.find()) {
      names = lines.fields();
      lines.pass();
    }
    if (names.empty()) throw IoError(list + " is empty");
    format_ = std::make_unique<FieldRows>(csv_, places_of(list, columns_, names), names.size());
  }
  for (; lines.find(); lines.pass()) rows_.push_back({lines.at(), lines.line()});
  if (rows_.empty()) throw IoError(list + " has no rows");
}

ListFile::~ListFile() = default;

ListRow ListFile::row(std::size_t i) const {
  const Start& start = rows_.at(i);
  const std::string_view text = std::string_view(text_).substr(
      start.offset, end_of_row(text_, start.offset, csv_) - start.offset);
  ListRow row{start.line, {}, {}};
  try {
    row.cells = format_->cells(text);
  } catch (const CellError& error) {
    throw IoError(name_of_list(path_) + ", line " + std::to_string(start.line) + ": " +
                  error.what());
  }
  if (row.cells.back().kind == Cell::Kind::list)
    fail(start.line, columns_.size() - 1, in_quotes(row.cells.back().text) + " is no path");
  row.path = std::move(row.cells.back().text);
  row.cells.pop_back();
  if (row.path.empty()) fail(start.line, columns_.size() - 1, "the path is empty");
  if (row.path.find('\0') != std::string::npos)
    fail(start.line, columns_.size() - 1,
         in_quotes(row.path) + " is no path: it holds a zero byte");
  return row;
}

void ListFile::fail(std::uint64_t line, std::size_t column, const std::string& what) const {
  throw IoError(name_of_list(path_) + ", line " + std::to_string(line) + ", column " +
                in_quotes(columns_[column]) + ": " + what);
}

}  // namespace sluice::detail
