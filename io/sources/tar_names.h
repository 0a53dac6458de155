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

// Why files are left out; each completes "left out 3 ...".
std::string_view why_not_tar_name(std::string_view name);  // of a name without parts
inline constexpr std::string_view kOtherTarSample = "of samples without a wanted column";
inline constexpr std::string_view kDottedTarColumn =
    "that end like a wanted column, but a sample's name ends at its first dot";

// Large and small letters are the same.
bool is_tar_column(std::string_view in_archive, std::string_view wanted);

// The column ends like one of these after a further dot: "2.jpg" where "jpg" is wanted. The file's
// name may be meant as another sample, whose own name has a dot.
bool ends_like_tar_column(std::string_view in_archive,
                          const std::vector<std::vector<std::string>>& wanted);

// Why a sample lacks a column; `there` are those that it has.
std::string no_tar_column(const std::string& there);
// A hint about dots in these columns; empty if they have none.
std::string_view dots_in_tar_columns(std::string_view there);

// "jpg;jpeg" is {"jpg", "jpeg"}. `who`: whose options these are.
std::vector<std::string> names_of_tar_column(const char* who, const std::string& column);

// Throws unless there are types for as many columns as are named, and archives at all.
void check_tar_columns(const char* who, const std::vector<std::string>& archives,
                       const std::vector<std::string>& columns, std::size_t types);

}  // namespace sluice::detail
