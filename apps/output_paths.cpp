#include "output_paths.h"

#include "usage.h"
#include <sluice/io/readers/files.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

bool takes_bytes(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::is_character_file(status) || fs::is_fifo(status);
}

// True if the path is the folder, or lies in it or below.
bool lies_in(const std::string& folder, const std::string& path) {
  const fs::path above = whole_path(folder);
  const fs::path below = whole_path(path);
  return std::mismatch(above.begin(), above.end(), below.begin(), below.end()).first == above.end();
}

}  // namespace

void write_file(const std::string& path, const Bytes& bytes) {
  const std::span<const std::uint8_t> all = bytes;
  write_whole(path, {&all, 1});
}

std::filesystem::path whole_path(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

void check_names_differ(const std::vector<const char*>& options,
                        const std::vector<std::string>& names) {
  std::map<fs::path, const char*> taken;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (names[i].empty() || takes_bytes(names[i])) continue;
    const auto [first, is_new] = taken.emplace(whole_path(names[i]), options[i]);
    if (!is_new) {
      throw UsageError(fmt::format("{} and {} are both {}: give two names", first->second,
                                   options[i], names[i]));
    }
  }
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw IoError(fmt::format("the folder '{}' cannot be made: {}", escape_control_chars(path),
                              error.message()));
  }
}

void check_apart(const char* option, const std::string& path, const Inputs& inputs) {
  std::error_code ignored;
  if (!inputs.data.empty() && lies_in(inputs.data, path)) {
    throw UsageError(
        fmt::format("{} {} lies in the --data folder: it would be read as an image the next time; "
                    "give a place outside of {}",
                    option, path, inputs.data));
  }
  if (!inputs.pipeline.empty() && fs::equivalent(inputs.pipeline, path, ignored))
    throw UsageError(fmt::format("{} {} is the file of --pipeline: give another", option, path));
  for (const std::string& file : inputs.files) {
    if (!file.empty() && fs::equivalent(file, path, ignored))
      throw UsageError(fmt::format("{} {} is a file that is read: give another", option, path));
  }
}

void check_out_file(const char* option, const std::string& path, const Inputs& inputs) {
  if (path == "-") {
    throw UsageError(fmt::format(
        "{} - is not a file: standard output is already used; pass a file name", option));
  }
  std::error_code ignored;
  check_apart(option, path, inputs);
  for (const std::string& folder : inputs.files) {
    if (fs::is_directory(folder, ignored) && lies_in(folder, path)) {
      throw UsageError(
          fmt::format("{} {} lies in a folder of packs that are read: give another", option, path));
    }
  }
  if (fs::is_directory(path, ignored)) {
    throw UsageError(fmt::format("{} {} is a folder: give the name of a file in it", option, path));
  }
  if (fs::is_symlink(fs::symlink_status(path, ignored)) && !takes_bytes(path)) {
    throw UsageError(
        fmt::format("{} {} is a link to {}: give the name of the file itself, or "
                    "remove the link",
                    option, path, fs::read_symlink(path, ignored).string()));
  }
}

void check_folder_of(const char* option, const std::string& path, const std::string& out) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::is_directory(folder, ignored)) {
    const int reason = ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0 ? 0 : errno;
    if (reason == 0 || takes_bytes(path)) return;
    throw UsageError(fmt::format(
        "{} {} cannot be written: {}; choose another folder", option, path,
        reason == EROFS ? "its file system is read-only" : "you may not write in its folder"));
  }
  if (!out.empty() && lies_in(out, folder.string())) return;
  throw UsageError(fmt::format("{} {}: there is no folder {}: make it, or give another name",
                               option, path, folder.string()));
}

namespace {

constexpr std::size_t kMostOfAPart = 200;
constexpr std::size_t kMostOfAPath = 1000;

}  // namespace

std::string cut_name(std::string name) {
  if (name.size() <= kMostOfAPart) return name;
  std::size_t begin = name.size() - kMostOfAPart;
  while (begin < name.size() && (name[begin] & '\xc0') == '\x80') ++begin;
  return name.substr(begin);
}

std::string safe_path(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    std::string part(name.substr(begin, end - begin));
    begin = end + 1;
    if (part.empty() || part == "." || part == "..") continue;
    for (char& c : part) {
      if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') c = '_';
    }
    part = cut_name(std::move(part));
    if (part.empty()) continue;
    if (part.front() == '.') part.front() = '_';
    parts.push_back(std::move(part));
  }
  std::string path;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (path.size() + part->size() >= kMostOfAPath) break;
    path = path.empty() ? std::move(*part) : *part + "/" + path;
  }
  return path.empty() ? "_" : path;
}

}  // namespace sluice::app
