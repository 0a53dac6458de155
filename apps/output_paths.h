// Checks, names and writes what commands write: files that the user names, and folders.
//
// No state. Errors: IoError that names the file or folder and the reason; UsageError that names the
// option. safe_path() and cut_name() fail with neither.
#pragma once

#include <sluice/runtime/bytes.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::app {

// Writes a file, which only appears once it is complete (see write_whole). If the path is a device
// or a pipe, writes to it.
void write_file(const std::string& path, const Bytes& bytes);

// The absolute path, with links and dots resolved as far as the path exists.
std::filesystem::path whole_path(const std::string& path);

// Throws UsageError if two of these options name the same file. There is one name per option; empty
// names are ignored.
void check_names_differ(const std::vector<const char*>& options,
                        const std::vector<std::string>& names);

// Creates the folder and its parents if they are missing.
void make_folder(const std::string& path);

// The inputs of a command; empty members are not used.
struct Inputs {
  std::string data;                     // a folder
  std::string pipeline;                 // a file
  std::vector<std::string> files = {};  // other files, and folders of packs
};

// Throws UsageError if the output `path` is an input file, or lies in the data folder, where the
// next run would read it as an image.
void check_apart(const char* option, const std::string& path, const Inputs& inputs);

// Like check_apart(), for an output file. Also rejects "-", a folder, a file in a folder of packs,
// which it might replace, and a symbolic link to a file, because it is unclear whether to replace
// the link or the file.
void check_out_file(const char* option, const std::string& path, const Inputs& inputs = {});

// Throws UsageError unless the file's folder exists and is writable, or is `out` or in it, which
// will be created.
void check_folder_of(const char* option, const std::string& path, const std::string& out = {});

// Turns an untrusted name, such as that of a file in an archive, into a relative path that cannot
// leave its folder. Keeps the parts between slashes, without "..", "." and empty ones. A leading
// "." of a part and control characters become "_". Long names are truncated at the front: a part to
// its last 200 bytes, the path to the last parts that fit in 1,000 bytes. If nothing is left,
// returns "_".
std::string safe_path(std::string_view name);

// The last 200 bytes of a part of a path, or slightly fewer so that no UTF-8 character is cut. File
// systems limit the length of names.
std::string cut_name(std::string name);

}  // namespace sluice::app
