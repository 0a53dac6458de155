// OpenFile: a regular file that is open for reading at any place. Internal: no user includes it.
//
// Ownership: owns the descriptor. Threads: any number. Errors: IoError with the name and the
// reason.
#pragma once

#include <sluice/io/sources/file_hashes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sluice {

class OpenFile {
 public:
  // A pipe that nobody writes to is not waited for; state() refuses it.
  explicit OpenFile(std::string path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // Throws for what is no regular file.
  FileState state() const;
  // Whether the system itself keeps the times, and nobody writes but through it. What lies
  // elsewhere may have changed before its times do, as these are remembered for a while, and some
  // file systems let programs set them all.
  bool is_local() const;
  // Whether the byte there can be read without waiting for a disk, as far as the file system tells.
  bool is_cached(std::uint64_t offset) const;
  // How many bytes there are from `offset` on, at most those of `first` and `then`, which they fill
  // in this order. Fewer than that: the file ends there.
  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                   std::span<std::uint8_t> then = {}) const;
  // All of it, as it is now.
  std::string content() const;
  const std::string& path() const { return path_; }
  // 'its path', for messages.
  std::string name() const;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_;
};

}  // namespace sluice
