#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/image_reader.h>
#include <sluice/io/readers/open_file.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace sluice {
namespace {

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

std::optional<std::uint64_t> FileHashes::known(std::size_t i, const FileState& state) const {
  const std::uint64_t hash = known_[i].hash.load(std::memory_order_relaxed);
  if (known_[i].seal.load(std::memory_order_relaxed) != seal_of(state, hash)) return {};
  return hash;
}

std::optional<std::uint64_t> FileHashes::of(std::size_t i, std::span<const std::uint8_t> content,
                                            const FileRead& read,
                                            std::optional<std::uint64_t> computed) {
  if (read.before != read.after) return {};
  if (const auto before = known(i, read.before)) return before;
  if (!is_settled(read)) return {};
  const std::uint64_t hash = digest_of(content, computed).hash;
  known_[i].hash.store(hash, std::memory_order_relaxed);
  known_[i].seal.store(seal_of(read.before, hash), std::memory_order_relaxed);
  return hash;
}

FileParts::FileParts(std::string path, const FileState& state, std::uint64_t offset,
                     std::shared_ptr<ReadCounts> counts)
    : path_(std::move(path)), state_(state), offset_(offset), counts_(std::move(counts)) {}

void FileParts::read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) {
  const OpenFile file(path_);
  if (read(file, parts, whole)) return;
  const std::uint64_t size = file.state().size;
  const std::string how =
      size == state_.size
          ? "it was written, replaced, or given other rights or names"
          : "it had " + std::to_string(state_.size) + " bytes and has " + std::to_string(size);
  throw IoError(file.name() + " has changed since its sample was begun: " + how +
                "; do not change files while a pipeline reads them");
}

bool FileParts::read(const OpenFile& file, std::span<const ByteRange> parts,
                     std::span<std::uint8_t> whole) const {
  if (file.state() != state_) return false;
  std::int64_t bytes = 0;
  for (const ByteRange& part : parts) {
    const std::size_t got = file.read(offset_ + part.begin, whole.subspan(part.begin, part.size()));
    if (got < part.size()) return false;
    bytes += static_cast<std::int64_t>(got);
  }
  if (file.state() != state_) return false;
  counts_->add({.bytes_read = bytes, .repeated = file.take_repeated()});
  return true;
}

namespace {

Bytes whole(const OpenFile& file, std::uint64_t size) {
  require_size_of_image(file.name(), size);
  Bytes bytes(size);
  const std::size_t got = file.read(0, {bytes.data(), bytes.size()});
  if (got < size) {
    throw IoError(file.name() + " became shorter while it was read: " + std::to_string(got) +
                  " of " + std::to_string(size) + " bytes");
  }
  return bytes;
}

// Returns the number of bytes before the image's codes. Nothing for a file that the index does not
// know.
std::optional<std::size_t> header_bytes(const JpegIndex& index, const JpegDigest& digest) {
  try {
    const std::optional<JpegIndexEntry> known = index.find(digest);
    if (!known || known->records.empty()) return {};
    const std::size_t bytes = known->records.front().place / 8;
    return bytes <= digest.size ? std::optional(bytes) : std::nullopt;
  } catch (const IoError&) {  // the decoder reports it
    return {};
  }
}

}  // namespace

ImageReader::ImageReader(std::shared_ptr<JpegIndex> index, std::size_t images,
                         const Options& options)
    : index_(std::move(index)), options_(options) {
  if (index_ != nullptr) hashes_ = std::make_unique<FileHashes>(images);
  if (options.verify == Verify::never) return;
  if (index_ == nullptr) {
    throw BuildError(
        "verify needs an index with digests; pass one that 'sluice index' has made of the same "
        "folder");
  }
  if (index_->names() == 0) {
    throw IoError(
        "the index has no digests to verify files with; only 'sluice index' keeps them: make the "
        "index with it");
  }
}

Bytes ImageReader::read(std::size_t i, const std::string& path) const {
  const OpenFile file(path);
  const std::uint64_t size = file.state().size;
  return read(i, file, {.offset = 0, .size = size}, [&] { return whole(file, size); });
}

bool ImageReader::verifies(std::size_t i, std::int64_t epoch) const {
  constexpr std::uint64_t kOneOf = 16;
  if (options_.verify != Verify::sample) return options_.verify == Verify::always;
  return (i + static_cast<std::uint64_t>(epoch)) % kOneOf == 0;
}

Bytes ImageReader::read_verified(std::size_t i, const std::string& path,
                                 std::string_view name) const {
  const OpenFile file(path);
  const Clock::time_point began = options_.now();
  const FileState before = file.state();
  Bytes all = whole(file, before.size);
  const JpegDigest digest = digest_of(all);
  const std::optional<bool> same = index_->matches(name, digest);
  if (!same) {
    throw IoError(file.name() +
                  " cannot be verified: the index has no digest of it; make the "
                  "index again with 'sluice index'");
  }
  if (!*same) {
    throw IoError(file.name() +
                  " has changed since the index was made: its content has another "
                  "digest; restore the file, or make the index again with "
                  "'sluice index'");
  }
  const auto bytes = static_cast<std::int64_t>(all.size());
  counts_->add({.files = 1,
                .file_bytes = bytes,
                .bytes_read = bytes,
                .verified = 1,
                .repeated = file.take_repeated()});
  // Later epochs may then read parts of the file.
  if (file.is_local()) (void)hashes_->of(i, all, {before, file.state(), began}, digest.hash);
  all.set_index(index_, digest.hash);
  return all;
}

std::optional<Bytes> ImageReader::begin(std::size_t i, const OpenFile& file, const FileState& state,
                                        const Place& place) const {
  if (options_.parts == ReadParts::never) return {};
  const std::optional<std::uint64_t> hash = hashes_->known(i, state);
  if (!hash) return {};
  const std::optional<std::size_t> there =
      header_bytes(*index_, {.hash = *hash, .size = place.size});
  if (!there) return {};
  if (options_.parts == ReadParts::cached && place.size > 0 &&
      !(file.is_cached(place.offset) && file.is_cached(place.offset + place.size - 1)))
    return {};
  auto source = std::make_unique<FileParts>(file.path(), state, place.offset, counts_);
  Bytes bytes(place.size);
  const ByteRange header{0, *there};
  if (!source->read(file, {&header, 1}, {bytes.data(), bytes.size()})) return {};  // it changed
  counts_->add({.files = 1, .file_bytes = static_cast<std::int64_t>(place.size), .bytes_read = 0});
  bytes = Bytes::on_demand(std::move(bytes), *there, std::move(source));
  bytes.set_index(index_, hash);
  return bytes;
}

void require_size_of_image(const std::string& name, std::uint64_t bytes) {
  if (bytes <= std::uint64_t{1} << 30) return;
  throw IoError(name + " has " + std::to_string(bytes) + " bytes; more than 1 GiB is not an image");
}

Bytes read_file(const std::string& path) {
  const OpenFile file(path);
  return whole(file, file.state().size);
}

}  // namespace sluice
