// FileHashes: the hashes of files' contents, each computed once for as long as its file stays as it
// is.
//
// Whether a file is still the same is told by its state: where it lies, its size and its times. A
// hash is kept only of a file that had the same state before and after it was read, and whose times
// were then more than kSettled in the past: a write that follows at once might leave them as they
// are, as the clocks of file systems are coarse; and a write sets the times when it begins. Three
// kinds of writers are not noticed: one who writes through a shared mapping, since the system may
// change the times later or never; one of whom a single write takes longer than kSettled; and one
// who sets the system's clock back. Files of file systems that do not keep the times themselves
// have no place here: those of a network may be told from memory.
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
  std::int64_t modified = 0;  // the content; programs can set it
  std::int64_t changed = 0;   // anything; only the system sets it
  bool operator==(const FileState&) const = default;
};
FileState state_of(const struct stat& status);

// How a file was read.
struct FileRead {
  FileState before;
  FileState after;
  std::chrono::system_clock::time_point began;
};

class FileHashes {
 public:
  static constexpr std::chrono::seconds kSettled{60};

  explicit FileHashes(std::size_t files) : known_(files) {}

  // The hash of file i, if it is known of the file as it is now.
  std::optional<std::uint64_t> known(std::size_t i, const FileState& state) const;
  // The hash of what was read of file i. Nothing when it may have been written meanwhile.
  std::optional<std::uint64_t> of(std::size_t i, std::span<const std::uint8_t> content,
                                  const FileRead& read);

 private:
  // Two threads may write at once. A hash counts only with the seal that was made of it.
  struct Known {
    std::atomic<std::uint64_t> hash{0};
    std::atomic<std::uint64_t> seal{0};
  };
  std::vector<Known> known_;
};

}  // namespace sluice
