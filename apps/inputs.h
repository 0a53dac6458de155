// What commands are given to read: the folder of --data, and the index of --index.
//
// Errors: UsageError that names the option.
#pragma once

#include <sluice/io/files.h>
#include <sluice/io/jpeg_index.h>

#include <memory>
#include <string>

namespace sluice::app {

// The JPEG files of a folder.
Files data_files(const std::string& folder, const FilesOptions& options = {});

// "off": null; "memory": an empty index; anything else: the one in that file.
std::shared_ptr<JpegIndex> chosen_index(const std::string& choice);

}  // namespace sluice::app
