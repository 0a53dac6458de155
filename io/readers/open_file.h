// Files and folders as the system has them: RandomAccess, OpenFile with its FileState, and
// FolderEntries. Internal: users do not include it.
//
// Ownership: an OpenFile owns its descriptor, and FolderEntries the open folder; a name of an entry
// is valid until the next call. Threads: any number for an OpenFile, one for FolderEntries. Errors:
// IoError with the name and the reason; FolderEntries::error() returns that of a folder.
#pragma once

#include <sluice/io/descriptor.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <dirent.h>
#include <sys/stat.h>

namespace sluice {

// RandomAccess: data of known size that can be read at any place: an open file, a file at a URL, a
// part of one in memory. Threads: as the derived class says.
class RandomAccess {
 public:
  RandomAccess() = default;
  RandomAccess(const RandomAccess&) = delete;
  RandomAccess& operator=(const RandomAccess&) = delete;
  virtual ~RandomAccess() = default;

  virtual std::uint64_t size() const = 0;
  // Reads the bytes from `offset` on into `first` and then `then`. Returns the number of bytes
  // read; fewer than fit means that the data ends there.
  virtual std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                           std::span<std::uint8_t> then = {}) const = 0;
  // 'its path', for messages.
  virtual std::string name() const = 0;
};

// FileState: what tells the versions of a file apart. Times are nanoseconds since 1970.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // of the content; programs can set it
  std::int64_t changed = 0;   // of anything; only the system sets it
  bool operator==(const FileState&) const = default;
};
FileState state_of(const struct stat& status);

// OpenFile: a regular file that is open for reading at any place.
class OpenFile final : public RandomAccess {
 public:
  // Does not wait for the writer of a pipe; state() throws for a pipe.
  explicit OpenFile(std::string path);

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
  // Repeats a read that ends with an I/O error (EIO), since that of a network file system may pass:
  // after 10 ms, and once more after 100 ms.
  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                   std::span<std::uint8_t> then = {}) const override;
  // Returns how many reads were repeated since the last call of this.
  std::int64_t take_repeated() const { return repeated_.exchange(0, std::memory_order_relaxed); }
  // Returns the whole content, as it is now.
  std::string content() const;
  const std::string& path() const { return path_; }
  std::string name() const override;

 private:
  [[noreturn]] void fail(const std::string& what, int error) const;

  std::string path_;
  detail::Descriptor descriptor_;
  mutable std::atomic<std::int64_t> repeated_{0};
};

// FolderEntries: iterates over the names in a folder, in the system's order.
//
//   FolderEntries entries(folder);
//   while (const char* name = entries.next()) ...;
//   if (entries.error() != 0) ...;            // an errno: the folder, or the rest, cannot be read
//
// The standard library's directory_iterator terminates the process if there is no memory for an
// entry (its advance() is noexcept and allocates). This class allocates nothing after construction.
class FolderEntries {
 public:
  explicit FolderEntries(const std::string& folder)
      : folder_(::opendir(folder.c_str())), error_(folder_ == nullptr ? errno : 0) {}
  ~FolderEntries() {
    if (folder_ != nullptr) ::closedir(folder_);
  }
  FolderEntries(const FolderEntries&) = delete;
  FolderEntries& operator=(const FolderEntries&) = delete;

  // Returns null at the end. "." and ".." are skipped.
  const char* next() {
    while (folder_ != nullptr) {
      errno = 0;
      const dirent* const entry = ::readdir(folder_);
      if (entry == nullptr) {
        error_ = errno;
        return nullptr;
      }
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") return entry->d_name;
    }
    return nullptr;
  }
  int error() const { return error_; }

 private:
  DIR* folder_;
  int error_;
};

}  // namespace sluice
