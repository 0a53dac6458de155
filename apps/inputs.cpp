#include "inputs.h"

#include "usage.h"

#include <fmt/format.h>

namespace sluice::app {

Files data_files(const std::string& folder, const FilesOptions& options) {
  try {
    return files_in(folder, options);
  } catch (const IoError& error) {
    throw UsageError(fmt::format("--data: {}", error.what()));
  }
}

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
