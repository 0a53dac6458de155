#include <sluice/io/sources/expander.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <zlib.h>

namespace sluice {
namespace {

// Reads consecutive members. Each has its checksum and its size, which zlib compares. Zeros may
// follow the last one, as tapes leave them.
class Gzip final : public Expander {
 public:
  Gzip(std::unique_ptr<TarInput> from, const TarCompression& compression,
       std::vector<std::uint8_t> begin, std::uint64_t max_expansion)
      : Expander(std::move(from), compression, std::move(begin), max_expansion) {
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
        fail("it ends before its time: it was cut");
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
      fail("other bytes follow its end: something in it is damaged, or it is no single file");
    (void)inflateReset(&stream_);
    is_between_ = false;
    return true;
  }

  z_stream stream_{};
  bool is_between_ = true;  // at the start, or between two members
  bool is_first_ = true;
  bool has_zeros_ = false;
};

}  // namespace

std::unique_ptr<TarInput> expand_gzip(std::unique_ptr<TarInput> from,
                                      const TarCompression& compression,
                                      std::vector<std::uint8_t> begin,
                                      std::uint64_t max_expansion) {
  return std::make_unique<Gzip>(std::move(from), compression, std::move(begin), max_expansion);
}

}  // namespace sluice
