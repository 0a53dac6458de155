#include <sluice/io/jpeg/index.h>
#include <sluice/io/sources/file_hashes.h>

#include <algorithm>
#include <type_traits>

namespace sluice {
namespace {

// Times after the year 2262, which programs can set, wrap around.
std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                                   static_cast<std::uint64_t>(time.tv_nsec));
}

// Hashes a file's state and its content's hash.
std::uint64_t seal_of(const FileState& state, std::uint64_t hash) {
  const struct {
    FileState state;
    std::uint64_t hash;
  } both{state, hash};
  static_assert(std::has_unique_object_representations_v<decltype(both)>);
  return digest_of({reinterpret_cast<const std::uint8_t*>(&both), sizeof both}).hash;
}

bool is_settled(const FileRead& read) {
  const auto began =
      std::chrono::duration_cast<std::chrono::nanoseconds>(read.began.time_since_epoch());
  const std::int64_t latest = std::chrono::nanoseconds(began - FileHashes::kSettled).count();
  return std::max(read.before.modified, read.before.changed) < latest;
}

}  // namespace

FileState state_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

std::optional<std::uint64_t> FileHashes::known(std::size_t i, const FileState& state) const {
  const std::uint64_t hash = known_[i].hash.load(std::memory_order_relaxed);
  if (known_[i].seal.load(std::memory_order_relaxed) != seal_of(state, hash)) return {};
  return hash;
}

std::optional<std::uint64_t> FileHashes::of(std::size_t i, std::span<const std::uint8_t> content,
                                            const FileRead& read) {
  if (read.before != read.after) return {};
  if (const auto before = known(i, read.before)) return before;
  if (!is_settled(read)) return {};
  const std::uint64_t hash = digest_of(content).hash;
  known_[i].hash.store(hash, std::memory_order_relaxed);
  known_[i].seal.store(seal_of(read.before, hash), std::memory_order_relaxed);
  return hash;
}

}  // namespace sluice
