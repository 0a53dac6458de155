#include "tar_offsets.h"

#include "dataset.h"
#include "outputs.h"
#include "usage.h"
#include <sluice/io/sources/tar.h>
#include <sluice/runtime/printable.h>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace sluice::app {
namespace fs = std::filesystem;

int run_tar_offsets(const std::vector<std::string>& patterns, const std::string& out) {
  check_out_file("--out", out);
  const std::vector<std::string> archives = archives_of(patterns);
  std::error_code ignored;
  if (fs::exists(out, ignored) && !TarIndex::is_one(out)) {
    throw UsageError(
        fmt::format("--out {} is there already, and no index of archives: it would be "
                    "lost; give another name",
                    out));
  }
  const std::string folder = fs::path(out).parent_path().string();
  if (!folder.empty()) make_folder(folder);
  const TarIndex index = TarIndex::of(archives);
  index.save(out);
  fmt::print("{}: {} files in {} archive{}, {:.2f} MB\n", printable(out), index.files(),
             archives.size(), archives.size() == 1 ? "" : "s",
             static_cast<double>(fs::file_size(out)) / 1e6);
  return 0;
}

}  // namespace sluice::app
