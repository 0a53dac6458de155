// What the names of files in an archive say of samples and columns. Internal: no user includes it.
//
// Ownership: views of the names. Threads: any. Errors: BuildError for columns that cannot be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

// "x/0001.seg.png": the sample "x/0001" and the column "seg.png".
struct TarNameParts {
  std::string_view stem;
  std::string_view column;
};
// Nothing for a name without them.
std::optional<TarNameParts> tar_name_parts(std::string_view name);

// Large and small letters are the same.
bool is_tar_column(std::string_view in_archive, std::string_view wanted);

// "jpg;jpeg" is {"jpg", "jpeg"}. `who`: whose options these are.
std::vector<std::string> names_of_tar_column(const char* who, const std::string& column);

// Throws unless there are types for as many columns as are named, and archives at all.
void check_tar_columns(const char* who, const std::vector<std::string>& archives,
                       const std::vector<std::string>& columns, std::size_t types);

}  // namespace sluice::detail
