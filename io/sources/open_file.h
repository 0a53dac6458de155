// OpenFile: a regular file that is open for reading at any place. Internal: users do not include
// it.
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
  // Does not wait for the writer of a pipe; state() throws for a pipe.
  explicit OpenFile(std::string path);
  ~OpenFile() override;

  // Throws if it is not a regular file.
  FileState state() const;
  // True if the system itself keeps the times, and all writes go through it. On other file systems,
  // the content may change before its times do, since these are cached for a while, and some let
  // programs set all times.
  bool is_local() const;
  // True if the byte at `offset` can be read without waiting for a disk, as far as the file system
  // knows.
  bool is_cached(std::uint64_t offset) const;
  std::uint64_t size() const override { return state().size; }
  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                   std::span<std::uint8_t> then = {}) const override;
  // Returns the whole content, as it is now.
  std::string content() const;
  const std::string& path() const { return path_; }
  std::string name() const override;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_;
};

}  // namespace sluice
