// FolderEntries: iterates over the names in a folder, in the system's order.
//
//   FolderEntries entries(folder);
//   while (const char* name = entries.next()) ...;
//   if (entries.error() != 0) ...;            // an errno: the folder, or the rest, cannot be read
//
// The standard library's directory_iterator terminates the process if there is no memory for an
// entry (its advance() is noexcept and allocates). This class allocates nothing after construction.
//
// Ownership: owns the open folder; a name is valid until the next call. Threads: one. Errors: as
// error() says.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include <dirent.h>

namespace sluice {

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
