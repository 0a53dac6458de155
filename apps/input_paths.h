// Opens the inputs of commands: the folder of --data, the index of --index, and other files.
//
// Ownership: shared. Threads: one. Errors: UsageError that names the option.
#pragma once

#include "usage.h"
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>

#include <memory>
#include <string>

namespace sluice::app {

// The JPEG files of a folder. Unreadable entries are left out, and a class without files keeps its
// number; see Files::left_out().
Files data_files(const std::string& folder, std::shared_ptr<JpegIndex> index = nullptr,
                 Verify verify = Verify::never);

// Returns null for "off", an empty index for "memory", else the index in that file.
std::shared_ptr<JpegIndex> chosen_index(const std::string& choice);
// True if the choice is a file.
bool is_index_file(const std::string& choice);

// Returns the result of open(). Turns its errors into a UsageError that names the option.
template <class Open>
auto opened(const char* option, Open open) {
  try {
    return open();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(std::string(option) + ": " + error.what());
  }
}

}  // namespace sluice::app
