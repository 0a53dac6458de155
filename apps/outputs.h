// What commands write: files that the user names, and folders.
//
// No state. Errors: IoError that names the file or folder and the reason, UsageError that names the
// option.
#pragma once

#include <sluice/runtime/bytes.h>

#include <string>

namespace sluice::app {

// Writes a file, which appears when it is whole (see write_whole); to a device or a pipe, what is
// there takes the bytes.
void write_file(const std::string& path, const Bytes& bytes);

// Creates the folder and those above it where they are missing.
void make_folder(const std::string& path);

// For a file that an option names, before the work begins: it is no folder, and no link to a file,
// as it would not be clear which of the two is to be replaced.
void check_out_file(const char* option, const std::string& path);

}  // namespace sluice::app
