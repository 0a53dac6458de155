#include "input_paths.h"

#include "usage.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace sluice::app {

Files data_files(const std::string& folder, std::shared_ptr<JpegIndex> index, Verify verify) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(folder, ignored)) {
    throw UsageError(fmt::format(
        "--data {} is a file: give the folder that holds the files; archives are for --tar, and "
        "lists of files for --list, where a command has these options",
        folder));
  }
  try {
    return files_in(folder, {.index = std::move(index),
                             .verify = verify,
                             .unreadable = Unreadable::leave_out,
                             .allow_empty = true});
  } catch (const IoError& error) {
    throw UsageError(fmt::format("--data: {}", error.what()));
  }
}

bool is_index_file(const std::string& choice) { return choice != "off" && choice != "memory"; }

std::shared_ptr<JpegIndex> chosen_index(const std::string& choice) {
  if (choice == "off") return nullptr;
  if (choice == "memory") return JpegIndex::in_memory();
  try {
    return JpegIndex::open(choice);
  } catch (const IoError& error) {
    throw UsageError(fmt::format("--index: {}", error.what()));
  }
}

}  // namespace sluice::app
