// Opens what commands read: the folder of --data, and the index of --index.
//
// Ownership: shared. Threads: one. Errors: UsageError that names the option.
#pragma once

#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>

#include <memory>
#include <string>

namespace sluice::app {

// The JPEG files of a folder. Unreadable entries are left out, and a class without files keeps its
// number; see Files::left_out().
Files data_files(const std::string& folder, std::shared_ptr<JpegIndex> index = nullptr);

// Returns null for "off", an empty index for "memory", else the index in that file.
std::shared_ptr<JpegIndex> chosen_index(const std::string& choice);
// True if the choice is a file.
bool is_index_file(const std::string& choice);

}  // namespace sluice::app
