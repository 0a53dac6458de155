// What commands write: files that the user names, and folders.
//
// No state. Errors: IoError that names the file or folder and the reason, UsageError that names the
// option.
#pragma once

#include <sluice/runtime/bytes.h>

#include <filesystem>
#include <string>
#include <vector>

namespace sluice::app {

// Writes a file, which appears when it is whole (see write_whole); to a device or a pipe, what is
// there takes the bytes.
void write_file(const std::string& path, const Bytes& bytes);

// The path from the root, without links and dots; what is not there yet as it would be.
std::filesystem::path whole_path(const std::string& path);

// Throws UsageError when two of these options name the same file; there is a name for each. Empty
// names are none.
void check_names_differ(const std::vector<const char*>& options,
                        const std::vector<std::string>& names);

// Creates the folder and those above it where they are missing.
void make_folder(const std::string& path);

// What a command reads; empty where it reads none.
struct Inputs {
  std::string data;                     // a folder
  std::string pipeline;                 // a file
  std::vector<std::string> files = {};  // others
};

// Throws UsageError for what an option names as output if it lies in the data folder, where it
// would be read as a picture the next time, or is a file that is read.
void check_apart(const char* option, const std::string& path, const Inputs& inputs);

// The same for a file; it is no folder either, and no link to a file, as it would not be clear
// which of the two is to be replaced.
void check_out_file(const char* option, const std::string& path, const Inputs& inputs = {});

// Throws UsageError when the folder of a file that an option names is neither there nor `out`, or
// in that, which is made.
void check_folder_of(const char* option, const std::string& path, const std::string& out);

}  // namespace sluice::app
