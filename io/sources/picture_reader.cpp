#include <sluice/io/jpeg/index.h>
#include <sluice/io/sources/file_parts.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/picture_reader.h>

#include <utility>

namespace sluice {
namespace {

Bytes whole(const OpenFile& file, std::uint64_t size) {
  require_size_of_picture(file.name(), size);
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

PictureReader::PictureReader(std::shared_ptr<JpegIndex> index, std::size_t pictures,
                             const Options& options)
    : index_(std::move(index)), options_(options) {
  if (index_ != nullptr) hashes_ = std::make_unique<FileHashes>(pictures);
}

Bytes PictureReader::read(std::size_t i, const std::string& path) const {
  const OpenFile file(path);
  const std::uint64_t size = file.state().size;
  return read(i, file, {.offset = 0, .size = size}, [&] { return whole(file, size); });
}

std::optional<Bytes> PictureReader::begin(std::size_t i, const OpenFile& file,
                                          const FileState& state, const Place& place) const {
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

void require_size_of_picture(const std::string& name, std::uint64_t bytes) {
  if (bytes <= std::uint64_t{1} << 30) return;
  throw IoError(name + " has " + std::to_string(bytes) + " bytes; more than 1 GiB is no picture");
}

Bytes read_file(const std::string& path) {
  const OpenFile file(path);
  return whole(file, file.state().size);
}

}  // namespace sluice
