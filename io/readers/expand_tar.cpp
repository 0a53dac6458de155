// Decompressors of archives: zlib for gzip, libarchive's filters for others, or an error if they
// are not available. The external programs that libarchive could start for other formats are not
// used.
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/tar_input.h>

#include <utility>

#ifdef SLUICE_HAS_ARCHIVE

#include <algorithm>
#include <cerrno>
#include <exception>
#include <limits>
#include <new>

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

namespace sluice {
namespace {

// Uses zlib, because libarchive does not check the checksums in such a file. Reads consecutive
// members. Each has its checksum and its size, which zlib compares. Zeros may follow the last one,
// as tapes leave them.
class Gzip final : public ArchiveDecompressor {
 public:
  Gzip(std::unique_ptr<TarInput> from, const TarCompression& compression,
       std::vector<std::uint8_t> begin, std::uint64_t max_expansion)
      : ArchiveDecompressor(std::move(from), compression, std::move(begin), max_expansion) {
    constexpr int kGzip = 16 + MAX_WBITS;  // no other format
    if (inflateInit2(&stream_, kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { (void)inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

 private:
  std::size_t expand(std::span<std::uint8_t> to) override {
    const auto room =
        static_cast<uInt>(std::min<std::size_t>(to.size(), std::numeric_limits<uInt>::max()));
    stream_.next_out = to.data();
    stream_.avail_out = room;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0 && !take_piece()) {
        if (is_between_) return 0;
        fail("it ends too early: it was truncated");
      }
      if (is_between_ && !begin_member()) continue;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        fail(stream_.msg == nullptr ? "it is damaged" : stream_.msg);
      if (result == Z_STREAM_END) is_between_ = true;
    }
    return room - stream_.avail_out;
  }

  bool take_piece() {
    const std::span<const std::uint8_t> piece = next_piece();
    stream_.next_in = const_cast<Bytef*>(piece.data());  // zlib writes nothing there
    stream_.avail_in = static_cast<uInt>(piece.size());
    return !piece.empty();
  }

  // True if a member begins here; zeros are skipped.
  bool begin_member() {
    if (is_first_) {
      is_first_ = is_between_ = false;
      return true;
    }
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
      has_zeros_ = true;
    }
    if (stream_.avail_in == 0) return false;
    if (has_zeros_ || *stream_.next_in != 0x1f)
      fail("other bytes follow its end: it is damaged, or is more than one file");
    (void)inflateReset(&stream_);
    is_between_ = false;
    return true;
  }

  z_stream stream_{};
  bool is_between_ = true;  // at the start, or between two members
  bool is_first_ = true;
  bool has_zeros_ = false;
};

class Filtered final : public ArchiveDecompressor {
 public:
  Filtered(std::unique_ptr<TarInput> from, const TarCompression& compression,
           std::vector<std::uint8_t> begin, std::uint64_t max_expansion)
      : ArchiveDecompressor(std::move(from), compression, std::move(begin), max_expansion),
        archive_(archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
    ::archive* const a = archive_.get();
    const char first = compression.begin[0];
    const int understood = first == '\x28'   ? archive_read_support_filter_zstd(a)
                           : first == '\xfd' ? archive_read_support_filter_xz(a)
                                             : archive_read_support_filter_bzip2(a);
    if (understood != ARCHIVE_OK) {
      throw IoError("the archive " + name() + " is compressed (" + compression.name +
                    "), which the libarchive here cannot read; decompress it with " +
                    compression.tool);
    }
    check(archive_read_support_format_raw(a));
    check(archive_read_open(a, this, nullptr, &Filtered::next_of, nullptr));
    ::archive_entry* entry = nullptr;
    const int begun = archive_read_next_header(a, &entry);
    is_empty_ = begun == ARCHIVE_EOF;
    if (is_empty_) return;
    check(begun);
    // With fewer filters libarchive would return the bytes as they are.
    if (archive_filter_count(a) < 2) fail("its beginning is damaged");
  }

 private:
  struct Free {
    void operator()(::archive* a) const { archive_read_free(a); }
  };

  std::size_t expand(std::span<std::uint8_t> to) override {
    if (is_empty_) return 0;
    const la_ssize_t got = archive_read_data(archive_.get(), to.data(), to.size());
    if (got < 0) check(static_cast<int>(got));
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  }

  static la_ssize_t next_of(::archive* a, void* self, const void** piece) {
    auto& filtered = *static_cast<Filtered*>(self);
    try {
      const std::span<const std::uint8_t> next = filtered.next_piece();
      *piece = next.data();
      return static_cast<la_ssize_t>(next.size());
    } catch (...) {
      filtered.error_ = std::current_exception();
      archive_set_error(a, EIO, "it cannot be read");
      return -1;
    }
  }

  void check(int result) {
    if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;
    const char* const why = archive_error_string(archive_.get());
    fail(why == nullptr ? "it is damaged" : why);
  }

  std::unique_ptr<::archive, Free> archive_;
  std::exception_ptr error_;
  bool is_empty_ = false;
};

}  // namespace

std::unique_ptr<TarInput> expand_tar(std::unique_ptr<TarInput> from,
                                     const TarCompression& compression,
                                     std::vector<std::uint8_t> begin, std::uint64_t max_expansion) {
  if (compression.begin[0] == '\x1f')
    return std::make_unique<Gzip>(std::move(from), compression, std::move(begin), max_expansion);
  return std::make_unique<Filtered>(std::move(from), compression, std::move(begin), max_expansion);
}

}  // namespace sluice
#else

namespace sluice {

std::unique_ptr<TarInput> expand_tar(std::unique_ptr<TarInput> from,
                                     const TarCompression& compression,
                                     std::vector<std::uint8_t> /*begin*/,
                                     std::uint64_t /*max_expansion*/) {
  throw IoError("the archive " + from->name() + " is compressed (" + compression.name +
                "), and this build of Sluice cannot read that: install libarchive-dev and build "
                "it again, or decompress the archive with " +
                compression.tool);
}

}  // namespace sluice

#endif
