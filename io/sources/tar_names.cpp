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

std::string_view why_not_tar_name(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return last.starts_with('.') ? "hidden: a name that begins with a dot"
                               : "without a dot in the name";
}

bool is_tar_column(std::string_view in_archive, std::string_view wanted) {
  return equal_in_any_case(in_archive, wanted);
}

bool ends_like_tar_column(std::string_view in_archive,
                          const std::vector<std::vector<std::string>>& wanted) {
  for (const std::vector<std::string>& names : wanted) {
    for (const std::string& name : names) {
      if (in_archive.size() <= name.size()) continue;
      const std::size_t begin = in_archive.size() - name.size();
      if (in_archive[begin - 1] == '.' && is_tar_column(in_archive.substr(begin), name))
        return true;
    }
  }
  return false;
}

std::string no_tar_column(const std::string& there) {
  return "there is none; the files of a sample follow each other (tar --sort=name), and here are " +
         there + std::string(dots_in_tar_columns(there));
}

std::string_view dots_in_tar_columns(std::string_view there) {
  return there.find('.') == std::string_view::npos
             ? ""
             : "; a sample's name ends at the first dot of its files' names";
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
