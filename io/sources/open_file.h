// OpenFile: a regular file that is open for reading at any place. Internal: no user includes it.
//
// Ownership: owns the descriptor. Threads: any number. Errors: IoError with the name and the
// reason.
#pragma once

#include <sluice/io/sources/file_hashes.h>
#include <sluice/io/sources/random_access.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sluice {

class OpenFile final : public RandomAccess {
 public:
  // A pipe that nobody writes to is not waited for; state() refuses it.
  explicit OpenFile(std::string path);
  ~OpenFile() override;

  // Throws for what is no regular file.
  FileState state() const;
  // Whether the system itself keeps the times, and nobody writes but through it. What lies
  // elsewhere may have changed before its times do, as these are remembered for a while, and some
  // file systems let programs set them all.
  bool is_local() const;
  // Whether the byte there can be read without waiting for a disk, as far as the file system tells.
  bool is_cached(std::uint64_t offset) const;
  std::uint64_t size() const override { return state().size; }
  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                   std::span<std::uint8_t> then = {}) const override;
  // All of it, as it is now.
  std::string content() const;
  const std::string& path() const { return path_; }
  std::string name() const override;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_;
};

}  // namespace sluice
