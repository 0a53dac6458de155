#include "outputs.h"

#include "usage.h"
#include <sluice/io/sources/files.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/printable.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include <fmt/format.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

bool takes_bytes(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::is_character_file(status) || fs::is_fifo(status);
}

void write_into(const std::string& path, const Bytes& bytes) {
  const auto fail = [&] {
    throw IoError(fmt::format("'{}' cannot be written: {}", printable(path),
                              std::generic_category().message(errno)));
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) fail();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail();
  if (std::fclose(file.release()) != 0) fail();
}

}  // namespace

void write_file(const std::string& path, const Bytes& bytes) {
  if (takes_bytes(path)) return write_into(path, bytes);
  const std::span<const std::uint8_t> all = bytes;
  write_whole(path, {&all, 1});
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw IoError(
        fmt::format("the folder '{}' cannot be made: {}", printable(path), error.message()));
  }
}

void check_out_file(const char* option, const std::string& path) {
  std::error_code ignored;
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

}  // namespace sluice::app
