// FileHashes: the hashes of files' contents. Each is computed once and kept until its file changes.
//
// A file counts as unchanged if its state is the same: where it lies, its size and its times. A
// hash is kept only if the file had the same state before and after it was read, and its times were
// then more than kSettled in the past. Otherwise an immediate write might leave the times
// unchanged, because the clocks of file systems are coarse; and a write sets the times when it
// begins. Three kinds of writers are not noticed: one that writes through a shared mapping, since
// the system may change the times later or never; one whose single write takes longer than
// kSettled; and one that sets the system's clock back. Files of file systems that do not keep the
// times themselves must not be used here: a network file system may report times from a cache.
//
// Ownership: 16 bytes a file; no file is kept open. Threads: any number at once, without locks.
// Errors: none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sys/stat.h>

namespace sluice {

// Times are nanoseconds since 1970.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // of the content; programs can set it
  std::int64_t changed = 0;   // of anything; only the system sets it
  bool operator==(const FileState&) const = default;
};
FileState state_of(const struct stat& status);

// The states of a file around a read, and when the read began.
struct FileRead {
  FileState before;
  FileState after;
  std::chrono::system_clock::time_point began;
};

class FileHashes {
 public:
  static constexpr std::chrono::seconds kSettled{60};

  explicit FileHashes(std::size_t files) : known_(files) {}

  // Returns the hash of file i if it is known for the file's current state.
  std::optional<std::uint64_t> known(std::size_t i, const FileState& state) const;
  // Returns the hash of the content that was read from file i. Nothing if the file may have been
  // written meanwhile.
  std::optional<std::uint64_t> of(std::size_t i, std::span<const std::uint8_t> content,
                                  const FileRead& read);

 private:
  // Two threads may write at once. A hash is valid only with the seal that was made of it.
  struct Known {
    std::atomic<std::uint64_t> hash{0};
    std::atomic<std::uint64_t> seal{0};
  };
  std::vector<Known> known_;
};

}  // namespace sluice
