#include <sluice/io/readers/files.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace sluice {
namespace {

// Times after the year 2262, which programs can set, wrap around.
std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                                   static_cast<std::uint64_t>(time.tv_nsec));
}

}  // namespace

FileState state_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

OpenFile::OpenFile(std::string path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!descriptor_) fail("cannot be opened", errno);
}

FileState OpenFile::state() const {
  struct stat status {};
  if (::fstat(descriptor_.number(), &status) != 0) fail("cannot be examined", errno);
  if (S_ISDIR(status.st_mode)) throw IoError(name() + " is a folder, not a file");
  if (!S_ISREG(status.st_mode)) throw IoError(name() + " is not a regular file");
  return state_of(status);
}

bool OpenFile::is_local() const {
  constexpr std::uint32_t kZfs = 0x2fc12fc1;
  constexpr std::uint32_t kLocal[] = {EXT4_SUPER_MAGIC,
                                      XFS_SUPER_MAGIC,
                                      BTRFS_SUPER_MAGIC,
                                      F2FS_SUPER_MAGIC,
                                      TMPFS_MAGIC,
                                      RAMFS_MAGIC,
                                      kZfs,
                                      SQUASHFS_MAGIC,
                                      OVERLAYFS_SUPER_MAGIC};
  struct statfs system {};
  return ::fstatfs(descriptor_.number(), &system) == 0 &&
         std::find(std::begin(kLocal), std::end(kLocal),
                   static_cast<std::uint32_t>(system.f_type)) != std::end(kLocal);
}

bool OpenFile::is_cached(std::uint64_t offset) const {
  char byte = 0;
  const iovec place{&byte, 1};
  return ::preadv2(descriptor_.number(), &place, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
}

std::size_t OpenFile::read(std::uint64_t offset, std::span<std::uint8_t> first,
                           std::span<std::uint8_t> then) const {
  constexpr int kWaitsMs[] = {10, 100};
  std::size_t repeated = 0;
  std::size_t done = 0;
  while (!first.empty() || !then.empty()) {
    const iovec places[] = {{first.data(), first.size()}, {then.data(), then.size()}};
    const ssize_t got =
        ::preadv(descriptor_.number(), places, 2, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      if (error != EIO) fail("cannot be read", error);
      if (repeated == std::size(kWaitsMs))
        fail(fmt::format("cannot be read, {} times", repeated + 1), error);
      std::this_thread::sleep_for(std::chrono::milliseconds(kWaitsMs[repeated++]));
      repeated_.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    if (got == 0) break;
    const auto bytes = static_cast<std::size_t>(got);
    const std::size_t of_first = std::min(bytes, first.size());
    first = first.subspan(of_first);
    then = then.subspan(bytes - of_first);
    done += bytes;
  }
  return done;
}

std::string OpenFile::content() const {
  std::string all(state().size, '\0');
  const std::size_t got = read(0, {reinterpret_cast<std::uint8_t*>(all.data()), all.size()});
  if (got < all.size()) {
    throw IoError(name() + " became shorter while it was read: " + std::to_string(got) + " of " +
                  std::to_string(all.size()) + " bytes");
  }
  return all;
}

std::string OpenFile::name() const { return "'" + escape_control_chars(path_) + "'"; }

void OpenFile::fail(const std::string& what, int error) const {
  throw IoError(name() + " " + what + ": " + std::generic_category().message(error));
}

}  // namespace sluice
