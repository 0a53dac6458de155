#include <sluice/io/sources/files.h>
#include <sluice/io/sources/fingerprint.h>
#include <sluice/io/sources/list_file.h>
#include <sluice/io/sources/list_format.h>
#include <sluice/io/sources/open_file.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace sluice::detail {
namespace {

std::string name_of_list(const std::string& path) { return "the list '" + printable(path) + "'"; }

ListFormat format_of(const std::string& path, ListFormat said) {
  if (said != ListFormat::by_name) return said;
  std::string name = path;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.ends_with(".csv")) return ListFormat::csv;
  if (name.ends_with(".tsv")) return ListFormat::tsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return ListFormat::json_lines;
  throw BuildError("list_in: what '" + printable(path) +
                   "' is does not show in its name (.csv, .tsv, .jsonl, .ndjson); say .format");
}

// The place of each wanted column in a row.
std::vector<std::size_t> places_of(const std::string& list, const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto found = std::count(names.begin(), names.end(), name);
    if (found != 1) {
      std::string all;
      for (const std::string& one : names) all += (all.empty() ? "" : ", ") + in_quotes(one);
      throw IoError(list + " has " + (found == 0 ? "no column " : "more than one column ") +
                    in_quotes(name) + "; its columns are " + all);
    }
    places.push_back(
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  return places;
}

}  // namespace

ListFile::ListFile(std::string path, const ListOptions& options)
    : path_(std::move(path)), columns_(options.columns) {
  columns_.push_back(options.path);
  const ListFormat format = format_of(path_, options.format);
  if (format == ListFormat::json_lines && !options.names.empty())
    throw BuildError("list_in: the rows of JSON lines name their columns; leave .names out");
  const std::string list = name_of_list(path_);
  text_ = OpenFile(path_).content();
  fingerprint_ = Fingerprint().add(text_).text();
  const std::string_view text = text_;
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // what some programs begin UTF-8 with
  std::uint64_t line = 1;
  const auto fail_at_line = [&](const std::string& what) {
    throw IoError(list + ", line " + std::to_string(line) + ": " + what);
  };
  const auto go_to = [&](std::size_t next) {
    line += static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                  text.begin() + static_cast<std::ptrdiff_t>(next),
                                                  '\n'));
    at = next;
  };
  const auto row_end = [&](std::size_t from) {
    const std::size_t end = format == ListFormat::csv
                                ? end_of_csv_row(text, from)
                                : std::min(text.find('\n', from), text.size());
    if (end == std::string_view::npos)
      fail_at_line("a quote opens in this row that does not close");
    return std::min(end + 1, text.size());
  };
  const auto pass_blank_lines = [&] {
    for (; at < text.size() && (text[at] == '\n' || text.substr(at, 2) == "\r\n"); go_to(at + 1)) {
      if (text[at] == '\r') ++at;
    }
  };

  pass_blank_lines();
  if (format == ListFormat::json_lines) {
    format_ = std::make_unique<JsonRows>(columns_);
  } else {
    std::vector<std::string> names = options.names;
    if (names.empty() && at < text.size()) {
      const std::size_t end = row_end(at);
      try {
        names = fields_of(text.substr(at, end - at), format == ListFormat::csv);
      } catch (const CellError& error) {
        fail_at_line(error.what());
      }
      go_to(end);
    }
    if (names.empty()) throw IoError(list + " is empty");
    format_ = std::make_unique<FieldRows>(format == ListFormat::csv,
                                          places_of(list, columns_, names), names.size());
  }
  for (pass_blank_lines(); at < text.size(); pass_blank_lines()) {
    rows_.push_back({at, line});
    go_to(row_end(at));
  }
  if (rows_.empty()) throw IoError(list + " has no rows");
}

ListFile::~ListFile() = default;

ListRow ListFile::row(std::size_t i) const {
  const Start& start = rows_.at(i);
  const std::size_t end = i + 1 < rows_.size() ? rows_[i + 1].offset : text_.size();
  const std::string_view text(text_.data() + start.offset, end - start.offset);
  ListRow row{start.line, {}, {}};
  try {
    row.cells = format_->cells(text);
  } catch (const CellError& error) {
    throw IoError(name_of_list(path_) + ", line " + std::to_string(start.line) + ": " +
                  error.what());
  }
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
