#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/index_file.h>
#include <sluice/io/sources/files.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

// Header-only, so that nothing has to be linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {

namespace {

struct HashOfDigest {
  std::size_t operator()(const JpegDigest& digest) const {
    return static_cast<std::size_t>(digest.hash);
  }
};

// The memory of an entry: its records, and about 64 bytes for a node of the table.
std::int64_t cost(const JpegIndexEntry& entry) {
  return static_cast<std::int64_t>(entry.records.size_bytes() + sizeof(JpegIndexEntry) + 64);
}

}  // namespace

struct JpegIndex::Memory {
  std::mutex mutex;
  std::unordered_map<JpegDigest, JpegIndexEntry, HashOfDigest> entries;
  std::int64_t bytes = 0;
  std::int64_t records = 0;
};

JpegDigest digest_of(std::span<const std::uint8_t> file,
                     std::optional<std::uint64_t> hash) noexcept {
  return {hash ? *hash : XXH3_64bits(file.data(), file.size()), file.size()};
}

std::shared_ptr<JpegIndex> JpegIndex::in_memory(const JpegIndexOptions& options) {
  std::shared_ptr<JpegIndex> index(new JpegIndex);
  index->options_ = options;
  return index;
}

std::shared_ptr<JpegIndex> JpegIndex::open(const std::string& path, std::int64_t bytes_in_memory) {
  std::shared_ptr<JpegIndex> index(new JpegIndex);
  index->file_ = std::make_unique<const JpegIndexFile>(
      path, static_cast<std::uint64_t>(std::max<std::int64_t>(bytes_in_memory, 0)));
  return index;
}

bool JpegIndex::is_one(const std::string& path) { return JpegIndexFile::is_one(path); }

JpegIndex::JpegIndex() : memory_(std::make_unique<Memory>()) {}

JpegIndex::~JpegIndex() = default;

std::optional<JpegIndexEntry> JpegIndex::find(const JpegDigest& digest) const {
  if (file_ != nullptr) return file_->find(digest);
  const std::lock_guard lock(memory_->mutex);
  const auto it = memory_->entries.find(digest);
  if (it == memory_->entries.end()) return {};
  return it->second;
}

bool JpegIndex::grows() const {
  if (file_ != nullptr) return false;
  const std::lock_guard lock(memory_->mutex);
  return memory_->bytes < options_.bytes;
}

void JpegIndex::keep(const JpegDigest& digest, JpegIndexNotes notes, bool complete) {
  if (file_ != nullptr || notes.records.empty()) return;
  notes.records.shrink_to_fit();
  const auto records =
      std::make_shared<const std::vector<JpegIndexRecord>>(std::move(notes.records));
  JpegIndexEntry entry;
  entry.grain = notes.grain;
  entry.per_row = notes.per_row;
  entry.complete = complete;
  entry.keeps = records;
  entry.records = *records;

  const std::lock_guard lock(memory_->mutex);
  const auto before = memory_->entries.find(digest);
  std::int64_t more = cost(entry);
  auto more_records = static_cast<std::int64_t>(entry.records.size());
  if (before != memory_->entries.end()) {
    const JpegIndexEntry& known = before->second;
    if (known.complete || (!complete && known.records.size() >= entry.records.size())) return;
    more -= cost(known);
    more_records -= static_cast<std::int64_t>(known.records.size());
  }
  if (memory_->bytes + more > options_.bytes) return;
  memory_->entries[digest] = std::move(entry);  // first, since it may throw
  memory_->bytes += more;
  memory_->records += more_records;
}

void JpegIndex::save(const std::string& path) const {
  if (file_ != nullptr)
    throw IoError("this index was opened from a file and has learnt nothing since; copy that file");
  std::vector<JpegIndexFile::Named> all;
  {
    const std::lock_guard lock(memory_->mutex);
    all.reserve(memory_->entries.size());
    for (const auto& [digest, entry] : memory_->entries) all.push_back({digest, entry});
  }
  JpegIndexFile::write(path, std::move(all));
}

std::int64_t JpegIndex::files() const {
  if (file_ != nullptr) return file_->files();
  const std::lock_guard lock(memory_->mutex);
  return static_cast<std::int64_t>(memory_->entries.size());
}

std::int64_t JpegIndex::records() const {
  if (file_ != nullptr) return file_->records();
  const std::lock_guard lock(memory_->mutex);
  return memory_->records;
}

std::int64_t JpegIndex::bytes() const {
  if (file_ != nullptr) return file_->bytes();
  const std::lock_guard lock(memory_->mutex);
  return memory_->bytes;
}

}  // namespace sluice
