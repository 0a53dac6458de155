// PictureReader: reads the bytes of encoded images, and attaches the index that knows them.
// Internal: users do not include it.
//
// The index finds an image by the hash of its bytes, which is computed once and kept until the file
// changes (file_hashes.h). For an image that the index knows, only the header is read here; the
// rest is read on demand (file_parts.h).
//
// Ownership: shares the index, and owns 16 bytes an image with one; no file is kept open. Threads:
// any number at once. Errors: IoError.
#pragma once

#include <sluice/io/sources/file_hashes.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/open_file.h>
#include <sluice/io/sources/read_counts.h>
#include <sluice/runtime/bytes.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sluice {

class PictureReader {
 public:
  using Clock = std::chrono::system_clock;
  struct Options {
    ReadParts parts = ReadParts::cached;
    Clock::time_point (*now)() = Clock::now;  // replaced in tests
  };
  // The place of an image in its file.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  // Images are numbered from 0. The index may be null.
  PictureReader(std::shared_ptr<JpegIndex> index, std::size_t pictures, const Options& options);

  // Image i is the whole file.
  Bytes read(std::size_t i, const std::string& path) const;

  // Image i lies at `place` in the file, and fetch() reads all of it.
  template <class Fetch>
  Bytes read(std::size_t i, const OpenFile& file, const Place& place, const Fetch& fetch) const {
    const auto bytes = static_cast<std::int64_t>(place.size);
    if (index_ == nullptr) {
      counts_->add({.files = 1, .file_bytes = bytes, .bytes_read = bytes});
      return fetch();
    }
    const Clock::time_point began = options_.now();
    const FileState before = file.state();
    if (std::optional<Bytes> known = begin(i, file, before, place)) return *std::move(known);
    Bytes all = fetch();
    counts_->add({.files = 1, .file_bytes = bytes, .bytes_read = bytes});
    std::optional<std::uint64_t> hash;
    if (file.is_local()) hash = hashes_->of(i, all, {before, file.state(), began});
    all.set_index(index_, hash);
    return all;
  }

  // The amount read so far, also by the holders of the bytes.
  SourceReads reads() const { return counts_->now(); }

 private:
  // Reads the header of an image that the index knows; the rest will be read on demand.
  std::optional<Bytes> begin(std::size_t i, const OpenFile& file, const FileState& state,
                             const Place& place) const;

  std::shared_ptr<JpegIndex> index_;
  std::unique_ptr<FileHashes> hashes_;  // with an index
  Options options_;
  std::shared_ptr<ReadCounts> counts_ = std::make_shared<ReadCounts>();
};

// Throws if `bytes` is larger than any image. `name` is quoted as a message shows it.
void require_size_of_picture(const std::string& name, std::uint64_t bytes);

}  // namespace sluice
