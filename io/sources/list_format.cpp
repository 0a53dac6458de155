#include <sluice/io/sources/list_format.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace sluice::detail {
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

}  // namespace

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
        throw CellError("there is more behind the quote that closes field " +
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

std::vector<ListRow::Text> FieldRows::cells(std::string_view row) const {
  std::vector<std::string> fields = fields_of(row, csv_);
  if (fields.size() != fields_) {
    throw CellError("the row has " + std::to_string(fields.size()) + " fields, where there are " +
                    std::to_string(fields_) + " columns");
  }
  std::vector<ListRow::Text> cells;
  for (const std::size_t place : places_) cells.push_back({fields[place]});
  return cells;
}

std::vector<ListRow::Text> JsonRows::cells(std::string_view row) const {
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(row);
  } catch (const nlohmann::json::out_of_range&) {
    throw CellError("a number in " + in_quotes(without_end_of_line(row)) + " is too large");
  } catch (const nlohmann::json::parse_error&) {  // then it stays null
  }
  if (!object.is_object())
    throw CellError(in_quotes(without_end_of_line(row)) + " is no JSON object");
  std::vector<ListRow::Text> cells;
  for (const std::string& name : names_) {
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
                      " is an object, or a list of something else than numbers; a column has one "
                      "value, or a list of numbers");
    } else if (found->is_string()) {
      cells.push_back({found->get<std::string>(), Cell::Kind::text});
    } else {
      cells.push_back({found->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                       Cell::Kind::other});
    }
  }
  return cells;
}

}  // namespace sluice::detail
