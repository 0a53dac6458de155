// The decompressor of archives: libarchive's filters, or the words that it is not there. Programs
// that libarchive could start for other formats are left alone.
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/gzip_sum.h>
#include <sluice/io/sources/tar_input.h>

#include <utility>

#ifdef SLUICE_HAS_ARCHIVE

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>

#include <archive.h>
#include <archive_entry.h>

namespace sluice {
namespace {

class Expanded : public TarInput {
 public:
  Expanded(std::unique_ptr<TarInput> from, const TarCompression& compression,
           std::vector<std::uint8_t> begin, std::uint64_t max_expansion)
      : from_(std::move(from)),
        compression_(compression),
        max_expansion_(max_expansion),
        piece_(std::move(begin)),
        archive_(archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
    ::archive* const a = archive_.get();
    is_gzip_ = compression_.begin[0] == '\x1f';
    const int understood = is_gzip_                          ? archive_read_support_filter_gzip(a)
                           : compression_.begin[0] == '\x28' ? archive_read_support_filter_zstd(a)
                           : compression_.begin[0] == '\xfd' ? archive_read_support_filter_xz(a)
                                                             : archive_read_support_filter_bzip2(a);
    if (understood != ARCHIVE_OK) {
      throw IoError("the archive " + name() + " is compressed (" + compression_.name +
                    "), which the libarchive here cannot read; decompress it with " +
                    compression_.tool);
    }
    check(archive_read_support_format_raw(a));
    check(archive_read_open(a, this, nullptr, &Expanded::next_piece, nullptr));
    ::archive_entry* entry = nullptr;
    const int begun = archive_read_next_header(a, &entry);
    is_over_ = begun == ARCHIVE_EOF;
    if (!is_over_) check(begun);
    // Else it gives what it reads as it is.
    if (!is_over_ && archive_filter_count(a) < 2) fail("its beginning is damaged");
  }

  std::size_t read(std::span<std::uint8_t> to) override {
    std::size_t done = 0;
    while (done < to.size() && !is_over_) {
      const la_ssize_t got = archive_read_data(archive_.get(), to.data() + done, to.size() - done);
      if (got < 0) check(static_cast<int>(got));
      is_over_ = got == 0;
      if (is_gzip_ && got > 0) sum_.gave(to.subspan(done, static_cast<std::size_t>(got)));
      done += static_cast<std::size_t>(std::max<la_ssize_t>(got, 0));
      out_ += static_cast<std::uint64_t>(std::max<la_ssize_t>(got, 0));
      check_expansion();
    }
    if (is_over_ && std::exchange(is_gzip_, false) && sum_.is_wrong())
      fail("its sum is wrong: something in it is damaged, and may have been read");
    return done;
  }
  std::uint64_t skip(std::uint64_t bytes) override {
    std::uint64_t done = 0;
    while (done < bytes && !is_over_) {
      scratch_.resize(std::size_t{64} << 10);
      done +=
          read({scratch_.data(),
                static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, scratch_.size()))});
    }
    return done;
  }
  std::optional<FileState> state() const override { return from_->state(); }
  std::string name() const override { return from_->name(); }

 private:
  struct Free {
    void operator()(::archive* a) const { archive_read_free(a); }
  };

  // What libarchive asks for: the first piece was read before.
  static la_ssize_t next_piece(::archive* a, void* self, const void** piece) {
    auto& expanded = *static_cast<Expanded*>(self);
    try {
      if (expanded.in_ > 0) {
        expanded.piece_.resize(kPiece);
        expanded.piece_.resize(expanded.from_->read(expanded.piece_));
      }
      if (expanded.is_gzip_) expanded.sum_.read(expanded.piece_);
      expanded.in_ += expanded.piece_.size();
      *piece = expanded.piece_.data();
      return static_cast<la_ssize_t>(expanded.piece_.size());
    } catch (...) {
      expanded.error_ = std::current_exception();
      archive_set_error(a, EIO, "it cannot be read");
      return -1;
    }
  }

  void check(int result) {
    if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;
    const char* const why = archive_error_string(archive_.get());
    is_over_ = true;
    fail(why == nullptr ? "it is damaged" : why);
  }

  void check_expansion() {
    // What a first piece alone may give, such as zeros at the end of an archive.
    constexpr std::uint64_t kAlways = std::uint64_t{16} << 20;
    if (out_ <= kAlways || (out_ - kAlways) / max_expansion_ < in_) return;
    is_over_ = true;
    fail("it has become more than " + std::to_string(max_expansion_) +
         " times as large as what was read of it, which no pictures do; if it is right, say so by "
         ".max_expansion");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError("the archive " + name() + " (" + compression_.name + "), after " +
                  std::to_string(out_) + " bytes of what is in it: " + what);
  }

  static constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::unique_ptr<TarInput> from_;
  const TarCompression& compression_;
  std::uint64_t max_expansion_;
  std::vector<std::uint8_t> piece_;
  std::unique_ptr<::archive, Free> archive_;
  std::exception_ptr error_;
  bool is_gzip_ = false;
  GzipSum sum_;
  std::vector<std::uint8_t> scratch_;
  std::uint64_t in_ = 0;
  std::uint64_t out_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<TarInput> expand_tar(std::unique_ptr<TarInput> from,
                                     const TarCompression& compression,
                                     std::vector<std::uint8_t> begin, std::uint64_t max_expansion) {
  return std::make_unique<Expanded>(std::move(from), compression, std::move(begin), max_expansion);
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
