#include <sluice/io/descriptor.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace sluice {
namespace {

constexpr std::string_view kPrefix = ".sluice-part-";

using Pieces = std::span<const std::span<const std::uint8_t>>;

[[noreturn]] void fail_to_write(const std::string& path) {
  throw IoError("'" + escape_control_chars(path) +
                "' cannot be written: " + std::generic_category().message(errno));
}

void write_all(int descriptor, Pieces pieces, const std::string& path) {
  std::size_t done = 0;  // of the first piece
  while (true) {
    for (; !pieces.empty() && done >= pieces.front().size(); pieces = pieces.subspan(1))
      done -= pieces.front().size();
    if (pieces.empty()) return;
    std::array<iovec, 64> parts{};
    const std::size_t count = std::min(pieces.size(), parts.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto piece = pieces[i].subspan(i == 0 ? done : 0);
      parts[i] = {const_cast<std::uint8_t*>(piece.data()), piece.size()};
    }
    const ssize_t written = ::writev(descriptor, parts.data(), static_cast<int>(count));
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      fail_to_write(path);
    }
  }
}

// True if the open file is the one with this name.
bool is_at(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// Returns the folder with its slash; empty for the current folder.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// A new file beside `path`, removed unless it gets that name.
class Part {
 public:
  explicit Part(const std::string& path) : path_(path) {
    static std::atomic<unsigned> next{0};
    const std::string folder = folder_of(path);
    while (descriptor_ < 0) {
      part_ =
          folder + std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(next++);
      descriptor_ =
          ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor_ < 0) {
        if (errno == EEXIST || errno == EINTR) continue;
        fail();
      }
      // Until it is locked, another process may take it for a leftover part and remove it. On a
      // file system without locks, parts are never removed.
      const bool taken = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
      if (!taken && is_at(descriptor_, part_)) return;
      (void)::unlink(part_.c_str());
      ::close(descriptor_);
      descriptor_ = -1;
    }
  }
  ~Part() {
    if (!part_.empty()) (void)::unlink(part_.c_str());
    ::close(descriptor_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void write(Pieces pieces) const { write_all(descriptor_, pieces, path_); }

  void finish(Keep keep) {
    if (keep == Keep::system && ::fsync(descriptor_) != 0) fail();
    // Some file systems report a full disk only on close. The lock must stay until the file has its
    // name, so close a copy.
    const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (copy < 0 || ::close(copy) != 0) fail();
    if (std::rename(part_.c_str(), path_.c_str()) != 0) fail();
    part_.clear();
    if (keep == Keep::system) keep_name();
  }

 private:
  // The name outlives a crash of the system only if its folder is on the disk, too.
  void keep_name() const {
    const std::string folder = folder_of(path_);
    const detail::Descriptor opened(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number() >= 0 && ::fsync(opened.number()) == 0) return;
    // The folder cannot be read, or its file system cannot sync a folder alone.
    if (::syncfs(descriptor_) != 0) fail();
  }
  // Called by the constructor only when there is no file to remove.
  [[noreturn]] void fail() const { fail_to_write(path_); }

  const std::string& path_;
  std::string part_;
  int descriptor_ = -1;
};

bool remove_part(const std::string& path) {
  const detail::Descriptor part(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  return part.number() >= 0 && ::fstat(part.number(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::flock(part.number(), LOCK_EX | LOCK_NB) == 0 && is_at(part.number(), path) &&
         ::unlink(path.c_str()) == 0;
}

}  // namespace

void write_whole(const std::string& path, Pieces pieces, Keep keep) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))) {
    const detail::Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.number() < 0) fail_to_write(path);
    return write_all(device.number(), pieces, path);
  }
  Part part(path);
  part.write(pieces);
  part.finish(keep);
}

int remove_parts(const std::string& folder) {
  int removed = 0;
  FolderEntries entries(folder);
  while (const char* const name = entries.next()) {
    if (std::string_view(name).starts_with(kPrefix) && remove_part(folder + "/" + name)) ++removed;
  }
  return removed;
}

}  // namespace sluice
