#include "inputs.h"

#include "usage.h"

#include <utility>

#include <fmt/format.h>

namespace sluice::app {

Files data_files(const std::string& folder, std::shared_ptr<JpegIndex> index) {
  try {
    return files_in(folder, {.index = std::move(index), .unreadable = Unreadable::leave_out});
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
