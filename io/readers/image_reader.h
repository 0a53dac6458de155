// ImageReader: reads the bytes of encoded images, and attaches their JPEG index, if any. Its
// parts: FileHashes, ReadCounts and FileParts. Internal: users do not include it.
//
// The index finds an image by the hash of its bytes, which is computed once and kept until the file
// changes (FileHashes). For an image that the index knows, only the header is read here; the rest
// is read on demand (FileParts). Images to verify are read whole, and compared with the digest that
// the index keeps of their names.
//
// Ownership: shares the index, and with one owns 16 bytes per image; no file is kept open. Threads:
// any number at once. Errors: IoError; BuildError if there is no index to verify with.
#pragma once

#include <sluice/graph/plan/source_record.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/bytes.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

// FileHashes: the hashes of files' contents. Each is computed once and kept until its file changes.
//
// A file counts as unchanged if its state is the same: where it lies, its size and its times. A
// hash is kept only if the file had the same state before and after it was read, and its times were
// then more than kSettled in the past. Otherwise an immediate write might leave the times
// unchanged, because the clocks of file systems are coarse; and a write sets the times when it
// begins. Three kinds of writers are not noticed: one that writes through a shared mapping, since
// the system may change the times later or never; one whose single write takes longer than
// kSettled; and one that sets the system's clock back. Files of file systems that do not keep the
// times themselves must not be used here: a network file system may report times from a cache.
//
// It takes 16 bytes a file. Threads: any number at once, without locks. Errors: none.

// The states of a file around a read, and when the read began.
struct FileRead {
  FileState before;
  FileState after;
  std::chrono::system_clock::time_point began;
};

class FileHashes {
 public:
  static constexpr std::chrono::seconds kSettled{60};

  explicit FileHashes(std::size_t files) : known_(files) {}

  // Returns the hash of file i if it is known for the file's current state.
  std::optional<std::uint64_t> known(std::size_t i, const FileState& state) const;
  // Returns the hash of the content that was read from file i. Nothing if the file may have been
  // written meanwhile. `computed`: the hash of the content, if it is known.
  std::optional<std::uint64_t> of(std::size_t i, std::span<const std::uint8_t> content,
                                  const FileRead& read, std::optional<std::uint64_t> computed = {});

 private:
  // Two threads may write at once. A hash is valid only with the seal that was made of it.
  struct Known {
    std::atomic<std::uint64_t> hash{0};
    std::atomic<std::uint64_t> seal{0};
  };
  std::vector<Known> known_;
};

// ReadCounts: counts the files and bytes that are read. A source and the bytes that it has returned
// share one. Threads: any number at once, without locks.
class ReadCounts {
 public:
  void add(const SourceReads& more) {
    files_.fetch_add(more.files, std::memory_order_relaxed);
    file_bytes_.fetch_add(more.file_bytes, std::memory_order_relaxed);
    bytes_read_.fetch_add(more.bytes_read, std::memory_order_relaxed);
    verified_.fetch_add(more.verified, std::memory_order_relaxed);
    repeated_.fetch_add(more.repeated, std::memory_order_relaxed);
  }
  SourceReads now() const {
    return {.files = files_.load(std::memory_order_relaxed),
            .file_bytes = file_bytes_.load(std::memory_order_relaxed),
            .bytes_read = bytes_read_.load(std::memory_order_relaxed),
            .verified = verified_.load(std::memory_order_relaxed),
            .repeated = repeated_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::int64_t> files_{0};
  std::atomic<std::int64_t> file_bytes_{0};
  std::atomic<std::int64_t> bytes_read_{0};
  std::atomic<std::int64_t> verified_{0};
  std::atomic<std::int64_t> repeated_{0};
};

// FileParts: reads parts of a file, or of a range of bytes in it, as long as the file does not
// change.
//
// The file is opened for each read, so that in-flight samples keep no descriptors. It must have the
// same state before and after, so that all parts have the same content.
//
// Ownership: owns the path and shares the counts. Threads: as ByteSource says. Errors: IoError for
// a file that is gone or has changed.
class FileParts : public ByteSource {
 public:
  // Reads from the file in this state, from `offset` on.
  FileParts(std::string path, const FileState& state, std::uint64_t offset,
            std::shared_ptr<ReadCounts> counts);

  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) override;
  // The same for a file that is open. Returns false if it is in another state.
  bool read(const OpenFile& file, std::span<const ByteRange> parts,
            std::span<std::uint8_t> whole) const;

 private:
  std::string path_;
  FileState state_;
  std::uint64_t offset_;
  std::shared_ptr<ReadCounts> counts_;
};

class ImageReader {
 public:
  using Clock = std::chrono::system_clock;
  struct Options {
    ReadParts parts = ReadParts::cached;
    Verify verify = Verify::never;
    Clock::time_point (*now)() = Clock::now;  // replaced in tests
  };
  // The place of an image in its file.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  // Images are numbered from 0. The index may be null.
  ImageReader(std::shared_ptr<JpegIndex> index, std::size_t images, const Options& options);

  // Image i is the whole file.
  Bytes read(std::size_t i, const std::string& path) const;
  // The same, but verifies the image if it is to be verified in this epoch: then it must have the
  // digest that the index keeps of name_of().
  template <class NameOf>
  Bytes read(std::size_t i, const std::string& path, std::int64_t epoch,
             const NameOf& name_of) const {
    return verifies(i, epoch) ? read_verified(i, path, name_of()) : read(i, path);
  }

  // Image i lies at `place` in the file, and fetch() reads all of it.
  template <class Fetch>
  Bytes read(std::size_t i, const OpenFile& file, const Place& place, const Fetch& fetch) const {
    const auto bytes = static_cast<std::int64_t>(place.size);
    const auto fetch_all = [&] {
      Bytes all = fetch();
      counts_->add(
          {.files = 1, .file_bytes = bytes, .bytes_read = bytes, .repeated = file.take_repeated()});
      return all;
    };
    if (index_ == nullptr) return fetch_all();
    const Clock::time_point began = options_.now();
    const FileState before = file.state();
    if (std::optional<Bytes> known = begin(i, file, before, place)) return *std::move(known);
    Bytes all = fetch_all();
    std::optional<std::uint64_t> hash;
    if (file.is_local()) hash = hashes_->of(i, all, {before, file.state(), began});
    all.set_index(index_, hash);
    return all;
  }

  // The amount read so far, also by the holders of the bytes.
  SourceReads reads() const { return counts_->now(); }

 private:
  bool verifies(std::size_t i, std::int64_t epoch) const;
  Bytes read_verified(std::size_t i, const std::string& path, std::string_view name) const;
  // Reads the header of an image that the index knows; the rest will be read on demand.
  std::optional<Bytes> begin(std::size_t i, const OpenFile& file, const FileState& state,
                             const Place& place) const;

  std::shared_ptr<JpegIndex> index_;
  std::unique_ptr<FileHashes> hashes_;  // with an index
  Options options_;
  std::shared_ptr<ReadCounts> counts_ = std::make_shared<ReadCounts>();
};

// Throws if `bytes` is larger than any image. `name` is quoted as a message shows it.
void require_size_of_image(const std::string& name, std::uint64_t bytes);

}  // namespace sluice
