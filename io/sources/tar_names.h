// Splits the names of files in an archive into samples and columns. Internal: users do not include
// it.
//
// Ownership: results are views of the names. Threads: any. Errors: BuildError for invalid columns.
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
// Returns nothing for a name without these parts.
std::optional<TarNameParts> tar_name_parts(std::string_view name);

// The reasons why files are left out; each completes "left out 3 ...".
std::string_view why_not_tar_name(std::string_view name);  // of a name without parts
inline constexpr std::string_view kOtherTarSample = "of samples without a wanted column";
inline constexpr std::string_view kDottedTarColumn =
    "that end like a wanted column, but a sample's name ends at its first dot";

// Compares without regard to letter case.
bool is_tar_column(std::string_view in_archive, std::string_view wanted);

// True if the column ends like one of these after a further dot: "2.jpg" when "jpg" is wanted. The
// file may be meant to belong to another sample, whose own name has a dot.
bool ends_like_tar_column(std::string_view in_archive,
                          const std::vector<std::vector<std::string>>& wanted);

// Returns an error about a missing column; `there` are the sample's columns.
std::string no_tar_column(const std::string& there);
// Returns a hint about dots in these columns; empty if they have none.
std::string_view dots_in_tar_columns(std::string_view there);

// Splits "jpg;jpeg" into {"jpg", "jpeg"}. `who`: the function whose options these are.
std::vector<std::string> names_of_tar_column(const char* who, const std::string& column);

// Throws unless there is one type for each named column, and at least one archive.
void check_tar_columns(const char* who, const std::vector<std::string>& archives,
                       const std::vector<std::string>& columns, std::size_t types);

}  // namespace sluice::detail
