#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/index_file.h>
#include <sluice/io/sources/files.h>

#include <bit>
#include <cstring>
#include <utility>

namespace sluice {
namespace {

// Both halves of a 128-bit product, folded: every bit of the factors reaches every bit of it.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The first 64 bits behind the point of the square roots of 2, 3, 5, 7 and 11.
constexpr std::uint64_t kSeeds[] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                    0xa54ff53a5f1d36f1, 0x510e527fade682d1};

std::uint64_t word_at(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

}  // namespace

JpegDigest digest_of(std::span<const std::uint8_t> file) noexcept {
  // Four chains side by side, each of which takes 16 bytes at a time.
  std::uint64_t lanes[4] = {kSeeds[0], kSeeds[1], kSeeds[2], kSeeds[3]};
  const std::uint8_t* at = file.data();
  std::size_t left = file.size();
  const auto take = [&](const std::uint8_t* bytes) {
    for (int i = 0; i < 4; ++i) {
      lanes[i] =
          mix(word_at(bytes + 16 * i) ^ kSeeds[i + 1], word_at(bytes + 16 * i + 8) ^ lanes[i]);
    }
  };
  for (; left >= 64; at += 64, left -= 64) take(at);
  std::uint8_t rest[64] = {};
  if (left > 0) std::memcpy(rest, at, left);
  take(rest);
  std::uint64_t hash = mix(file.size() ^ kSeeds[0], kSeeds[4]);
  for (const std::uint64_t lane : lanes) hash = mix(hash ^ lane, kSeeds[1]);
  return {hash, file.size()};
}

std::shared_ptr<JpegIndex> JpegIndex::in_memory(const JpegIndexOptions& options) {
  std::shared_ptr<JpegIndex> index(new JpegIndex);
  index->options_ = options;
  return index;
}

std::shared_ptr<JpegIndex> JpegIndex::open(const std::string& path) {
  std::shared_ptr<JpegIndex> index(new JpegIndex);
  index->file_ = std::make_unique<const JpegIndexFile>(path);
  return index;
}

bool JpegIndex::is_one(const std::string& path) { return JpegIndexFile::is_one(path); }

JpegIndex::~JpegIndex() = default;

std::optional<JpegIndexEntry> JpegIndex::find(const JpegDigest& digest) const {
  if (file_ != nullptr) return file_->find(digest);
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(digest);
  if (it == entries_.end()) return {};
  return it->second;
}

bool JpegIndex::grows() const {
  if (file_ != nullptr) return false;
  const std::lock_guard lock(mutex_);
  return bytes_ < options_.bytes;
}

// The records, and what a node of the table takes.
std::int64_t JpegIndex::cost(const JpegIndexEntry& entry) {
  return static_cast<std::int64_t>(entry.records.size_bytes() + sizeof(JpegIndexEntry) + 64);
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

  const std::lock_guard lock(mutex_);
  const auto before = entries_.find(digest);
  std::int64_t more = cost(entry);
  auto more_records = static_cast<std::int64_t>(entry.records.size());
  if (before != entries_.end()) {
    const JpegIndexEntry& known = before->second;
    if (known.complete || (!complete && known.records.size() >= entry.records.size())) return;
    more -= cost(known);
    more_records -= static_cast<std::int64_t>(known.records.size());
  }
  if (bytes_ + more > options_.bytes) return;
  entries_[digest] = std::move(entry);  // first, since it may throw
  bytes_ += more;
  records_ += more_records;
}

void JpegIndex::save(const std::string& path) const {
  if (file_ != nullptr)
    throw IoError("this index was opened from a file and has learnt nothing since; copy that file");
  std::vector<JpegIndexFile::Named> all;
  {
    const std::lock_guard lock(mutex_);
    all.reserve(entries_.size());
    for (const auto& [digest, entry] : entries_) all.push_back({digest, entry});
  }
  JpegIndexFile::write(path, std::move(all));
}

std::int64_t JpegIndex::files() const {
  if (file_ != nullptr) return file_->files();
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(entries_.size());
}

std::int64_t JpegIndex::records() const {
  if (file_ != nullptr) return file_->records();
  const std::lock_guard lock(mutex_);
  return records_;
}

std::int64_t JpegIndex::bytes() const {
  if (file_ != nullptr) return file_->bytes();
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace sluice
