#include <sluice/io/sources/file_parts.h>
#include <sluice/io/sources/files.h>

#include <cstddef>
#include <utility>

namespace sluice {

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
                "; leave files as they are while a pipeline reads them");
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
  counts_->add({.files = 0, .file_bytes = 0, .bytes_read = bytes});
  return true;
}

}  // namespace sluice
