#include <sluice/io/readers/files.h>
#include <sluice/io/readers/fingerprint.h>
#include <sluice/io/readers/image_reader.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/list_file.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sluice::detail {

// Splits rows of lists into cells: CSV, TSV, JSON lines.
//
// CSV follows RFC 4180. Commas separate fields; fields that contain commas, quotes or line ends are
// in quotes. A quote within quotes is doubled. Lines end with LF or CRLF. A quote that does not
// begin a field is an ordinary character. TSV has fields between tabs, and no quotes. JSON lines
// have an object on each line.

class ListFile::Format {
 public:
  Format() = default;
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;
  virtual ~Format() = default;
  virtual std::vector<ListRow::Text> cells(std::string_view row) const = 0;
};

namespace {

// Returns the quote that closes the one before `at`; npos if there is none.
std::size_t closing_quote(std::string_view text, std::size_t at) {
  for (;; at += 2) {
    at = text.find('"', at);
    if (at == std::string_view::npos || at + 1 >= text.size() || text[at + 1] != '"') return at;
  }
}

std::string_view without_end_of_line(std::string_view row) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  if (row.ends_with('\r')) row.remove_suffix(1);
  return row;
}

std::string undoubled(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;
  }
  return text;
}

// True for a list of numbers, or of such lists.
bool is_list_of_numbers(const nlohmann::json& value) {
  const auto all_numbers = [](const nlohmann::json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const nlohmann::json& item) {
             return item.is_number();
           });
  };
  return all_numbers(value) ||
         (value.is_array() && std::all_of(value.begin(), value.end(), all_numbers));
}

// Returns the end of the row that begins at `at`: after its LF, or the end of the text. npos for
// unclosed quotes.
std::size_t end_of_row(std::string_view text, std::size_t at, bool csv) {
  for (;;) {
    if (csv && at < text.size() && text[at] == '"') {
      at = closing_quote(text, at + 1);
      if (at == std::string_view::npos) return at;
    }
    at = text.find_first_of(csv ? ",\n" : "\n", at);
    if (at == std::string_view::npos) return text.size();
    ++at;
    if (text[at - 1] == '\n') return at;
  }
}

// Returns the fields of one row, with or without its end of line.
std::vector<std::string> fields_of(std::string_view row, bool csv) {
  row = without_end_of_line(row);
  const char separator = csv ? ',' : '\t';
  std::vector<std::string> fields;
  for (std::size_t at = 0;; ++at) {
    std::size_t end = 0;
    if (csv && at < row.size() && row[at] == '"') {
      const std::size_t close = closing_quote(row, at + 1);
      fields.push_back(undoubled(row.substr(at + 1, close - at - 1)));
      end = close + 1;
      if (end < row.size() && row[end] != separator) {
        throw CellError("text follows the quote that closes field " +
                        std::to_string(fields.size()) + "; a quote within quotes is doubled");
      }
    } else {
      end = std::min(row.find(separator, at), row.size());
      fields.emplace_back(row.substr(at, end - at));
    }
    if (end >= row.size()) return fields;
    at = end;
  }
}

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

std::vector<ListRow::Text> FieldRows::cells(std::string_view row) const {
  std::vector<std::string> fields = fields_of(row, csv_);
  if (fields.size() != fields_) {
    throw CellError("the row has " + counted(fields.size(), "field") + ", but the list has " +
                    counted(fields_, "column"));
  }
  std::vector<ListRow::Text> cells;
  for (const std::size_t place : places_) cells.push_back({fields[place]});
  return cells;
}

class JsonRows : public ListFile::Format {
 public:
  explicit JsonRows(std::vector<std::string> names) : names_(std::move(names)) {}
  std::vector<ListRow::Text> cells(std::string_view row) const override;

 private:
  std::vector<std::string> names_;
};

std::vector<ListRow::Text> JsonRows::cells(std::string_view row) const {
  using Json = nlohmann::json;
  // The parser would keep the last one of several members of one name.
  std::vector<int> members(names_.size());
  const auto count_members = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (event != Json::parse_event_t::key || depth != 1) return true;
    for (std::size_t i = 0; i < names_.size(); ++i)
      members[i] += parsed.get_ref<const std::string&>() == names_[i] ? 1 : 0;
    return true;
  };
  Json object;
  try {
    object = Json::parse(row, count_members);
  } catch (const Json::out_of_range&) {
    throw CellError("a number in " + in_quotes(without_end_of_line(row)) + " is too large");
  } catch (const Json::parse_error&) {  // then it stays null
  }
  if (!object.is_object())
    throw CellError(in_quotes(without_end_of_line(row)) + " is not a JSON object");
  std::vector<ListRow::Text> cells;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    if (members[i] > 1) throw CellError("the row has " + in_quotes(name) + " more than once");
    const auto found = object.find(name);
    if (found == object.end()) {
      std::string all;
      for (const auto& [key, value] : object.items())
        all += (all.empty() ? "" : ", ") + in_quotes(key);
      throw CellError("the row has no " + in_quotes(name) + "; it has " +
                      (all.empty() ? "nothing" : all));
    }
    if (is_list_of_numbers(*found)) {
      cells.push_back({found->dump(), Cell::Kind::list});
    } else if (found->is_structured()) {  // not traversed, since it may have any depth
      throw CellError(in_quotes(name) +
                      " is an object, or a list that is not of numbers; a column has one value, or "
                      "a list of numbers");
    } else if (found->is_string()) {
      cells.push_back({found->get<std::string>(), Cell::Kind::text});
    } else {
      cells.push_back(
          {found->dump(-1, ' ', false, Json::error_handler_t::replace), Cell::Kind::other});
    }
  }
  return cells;
}

std::string name_of_list(const std::string& path) {
  return "the list '" + escape_control_chars(path) + "'";
}

ListFormat format_of(const std::string& path, ListFormat said) {
  if (said != ListFormat::by_name) return said;
  const std::string name = lower(path);
  if (name.ends_with(".csv")) return ListFormat::csv;
  if (name.ends_with(".tsv")) return ListFormat::tsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return ListFormat::json_lines;
  throw BuildError(
      name_of_list(path) +
      " has a name that does not end in .csv, .tsv, .jsonl or .ndjson; rename it, or set .format");
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
                         ? "; name the column of the files (the program: --path NAME)"
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
    if (end == std::string_view::npos) fail("a quote in this row is not closed");
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
    fail(start.line, columns_.size() - 1, in_quotes(row.cells.back().text) + " is not a path");
  row.path = std::move(row.cells.back().text);
  row.cells.pop_back();
  if (row.path.empty()) fail(start.line, columns_.size() - 1, "the path is empty");
  if (row.path.find('\0') != std::string::npos)
    fail(start.line, columns_.size() - 1,
         in_quotes(row.path) + " is not a path: it holds a zero byte");
  return row;
}

void ListFile::fail(std::uint64_t line, std::size_t column, const std::string& what) const {
  throw IoError(name_of_list(path_) + ", line " + std::to_string(line) + ", column " +
                in_quotes(columns_[column]) + ": " + what);
}

namespace {

std::string folder_of(const std::string& list, const ListOptions& options) {
  return options.folder.empty() ? std::filesystem::path(list).parent_path().string()
                                : options.folder;
}

std::string in_folder(const std::string& folder, std::string path) {
  if (path.front() == '/' || folder.empty()) return path;
  return folder + (folder.ends_with('/') ? "" : "/") + path;
}

// Returns the path in the folder that leads to a file, without detours such as "./".
std::string name_in_index(const std::string& folder, const std::string& path) {
  const auto file = std::filesystem::path(path).lexically_normal();
  if (folder.empty()) return file.string();
  auto above = std::filesystem::path(folder).lexically_normal();
  if (above.filename().empty()) above = above.parent_path();  // a slash at the end
  return file.lexically_relative(above).string();
}

}  // namespace

struct ListRows::Shared {
  Shared(const std::string& list, const ListOptions& options)
      : file(list, options),
        folder(folder_of(list, options)),
        reader(options.index, file.size(), {.parts = options.parts, .verify = options.verify}) {}

  ListFile file;
  std::string folder;
  ImageReader reader;
};

ListRows::ListRows(const std::string& list, const ListOptions& options, std::size_t types) {
  if (options.columns.size() != types) {
    throw BuildError("list_in: .columns names " + std::to_string(options.columns.size()) +
                     ", but there are types for " + std::to_string(types) +
                     "; give as many: list_in<std::int64_t, float>(list, {.columns = {\"label\", "
                     "\"weight\"}})");
  }
  shared_ = std::make_shared<const Shared>(list, options);
}

std::int64_t ListRows::size() const { return static_cast<std::int64_t>(shared_->file.size()); }

ListRow ListRows::row(std::int64_t i) const {
  ListRow row = shared_->file.row(static_cast<std::size_t>(i));
  row.path = in_folder(shared_->folder, std::move(row.path));
  return row;
}

SourceReads ListRows::reads() const { return shared_->reader.reads(); }

const std::string& ListRows::fingerprint() const { return shared_->file.fingerprint(); }

std::string ListRows::name(std::int64_t i) const {
  try {
    return row(i).path;
  } catch (const Error&) {  // its sample reports the error
    return shared_->file.path() + ":" +
           std::to_string(shared_->file.line(static_cast<std::size_t>(i)));
  }
}

Bytes ListRows::read(std::int64_t i, const ListRow& row, std::int64_t epoch) const {
  return shared_->reader.read(static_cast<std::size_t>(i), row.path, epoch,
                              [&] { return name_in_index(shared_->folder, row.path); });
}

Bytes ListRows::read_column(const ListRow& row, std::size_t column) const {
  const std::string& path = row.cells[column].text;
  if (path.empty()) fail(row, column, "the path is empty");
  if (row.cells[column].kind == Cell::Kind::list || path.find('\0') != std::string::npos)
    fail(row, column, (in_quotes(path) + " is not a path").c_str());
  return read_file(in_folder(shared_->folder, path));
}

void ListRows::fail(const ListRow& row, std::size_t column, const char* what) const {
  shared_->file.fail(row.line, column, what);
}

}  // namespace sluice::detail

namespace sluice {

List<std::int64_t> list_in(const std::string& list, const ListOptions& options) {
  return List<std::int64_t>(list, options);
}

}  // namespace sluice
