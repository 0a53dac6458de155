#include <sluice/io/sources/cell.h>
#include <sluice/io/sources/tar_names.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/letter_case.h>

#include <algorithm>
#include <cstddef>

namespace sluice::detail {

std::optional<TarNameParts> tar_name_parts(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::size_t last_part = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = name.find('.', last_part);
  if (dot == std::string_view::npos || dot == last_part) return {};
  return TarNameParts{name.substr(0, dot), name.substr(dot + 1)};
}

bool is_tar_column(std::string_view in_archive, std::string_view wanted) {
  return equal_in_any_case(in_archive, wanted);
}

std::vector<std::string> names_of_tar_column(const char* who, const std::string& column) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= column.size();) {
    const std::size_t end = std::min(column.find(';', at), column.size());
    if (end == at)
      throw BuildError(std::string(who) + ": a name is missing in the column " + in_quotes(column));
    names.push_back(column.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

void check_tar_columns(const char* who, const std::vector<std::string>& archives,
                       const std::vector<std::string>& columns, std::size_t types) {
  if (archives.empty()) throw BuildError(std::string(who) + ": no archives are named");
  if (types > 0 && columns.size() == types) return;
  throw BuildError(std::string(who) + ": .columns names " + std::to_string(columns.size()) +
                   ", but there are types for " + std::to_string(types) + "; give as many: " + who +
                   "<Bytes, std::int64_t>(archives, {.columns = {\"jpg;jpeg\", \"cls\"}})");
}

}  // namespace sluice::detail
