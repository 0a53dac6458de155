// Decompressors of archives: zlib for gzip, libarchive's filters for others, or an error if they
// are not available. The external programs that libarchive could start for other formats are not
// used.
#include <sluice/io/sources/expander.h>
#include <sluice/io/sources/files.h>

#include <utility>

#ifdef SLUICE_HAS_ARCHIVE

#include <cerrno>
#include <exception>
#include <new>

#include <archive.h>
#include <archive_entry.h>

namespace sluice {
namespace {

class Filtered final : public Expander {
 public:
  Filtered(std::unique_ptr<TarInput> from, const TarCompression& compression,
           std::vector<std::uint8_t> begin, std::uint64_t max_expansion)
      : Expander(std::move(from), compression, std::move(begin), max_expansion),
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
    return expand_gzip(std::move(from), compression, std::move(begin), max_expansion);
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
