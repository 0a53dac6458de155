#include <sluice/ops/kernels/moves.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/move_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t channels>
HWY_INLINE void flip(const std::uint8_t* HWY_RESTRICT in, std::size_t width,
                     std::uint8_t* HWY_RESTRICT out) {
  const std::size_t bytes = width * channels;
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  // Moves as many pixels as fit in 16 bytes, from the end of the row. If bytes are left over, it
  // also reads bytes before the pixels, and writes bytes after them that the next pixels overwrite.
  constexpr std::size_t kPixels = 16 / channels, kOver = 16 - kPixels * channels;
  const hn::FixedTag<std::uint8_t, 16> d;
  alignas(16) std::uint8_t order[16] = {};
  for (std::size_t i = 0; i < kPixels * channels; ++i)
    order[i] =
        static_cast<std::uint8_t>(kOver + (kPixels - 1 - i / channels) * channels + i % channels);
  const auto index = hn::Load(d, order);
  constexpr std::size_t kBytes = kPixels * channels;
  const auto flip_at = [&](std::size_t at) HWY_ATTR {
    const auto pixels = hn::LoadU(d, in + (bytes - at - 16));
    hn::StoreU(hn::TableLookupBytes(pixels, index), d, out + at);
  };
  for (; done + 64 <= bytes; done += 4 * kBytes) {
    flip_at(done);
    flip_at(done + kBytes);
    flip_at(done + 2 * kBytes);
    flip_at(done + 3 * kBytes);
  }
  for (; done + 16 <= bytes; done += kBytes) flip_at(done);
#endif
  for (; done < bytes; done += channels) {
    for (std::size_t c = 0; c < channels; ++c) out[done + c] = in[bytes - done - channels + c];
  }
}

void FlipRow(const std::uint8_t* in, std::size_t width, int channels, std::uint8_t* out) {
  switch (channels) {
    case 1:
      return flip<1>(in, width, out);
    case 2:
      return flip<2>(in, width, out);
    case 3:
      return flip<3>(in, width, out);
    default:
      return flip<4>(in, width, out);
  }
}

template <int channels>
HWY_INLINE void move_pixels(const std::uint8_t* HWY_RESTRICT in, std::ptrdiff_t in_stride,
                            int width, int height, std::uint8_t* HWY_RESTRICT out,
                            std::ptrdiff_t out_stride) {
  for (int x = 0; x < width; ++x) {
    const std::uint8_t* from = in + x * channels;
    std::uint8_t* to = out + x * out_stride;
    for (int y = 0; y < height; ++y, from += in_stride, to += channels)
      std::memcpy(to, from, channels);
  }
}

#if HWY_TARGET != HWY_SCALAR
// A pixel per lane; three channels use a lane of four bytes.
template <int channels>
struct LaneOf {
  using Type = std::uint32_t;
};
template <>
struct LaneOf<1> {
  using Type = std::uint8_t;
};
template <>
struct LaneOf<2> {
  using Type = std::uint16_t;
};

// A square block: as many pixels as 16 bytes have lanes, from as many rows.
template <int channels>
class Block {
  using Lanes =
      hn::FixedTag<typename LaneOf<channels>::Type, 16 / sizeof(typename LaneOf<channels>::Type)>;
  using Bytes = hn::FixedTag<std::uint8_t, 16>;
  using Vector = hn::Vec<Lanes>;

 public:
  static constexpr int kPixels = 16 / sizeof(typename LaneOf<channels>::Type);

  Block() {
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned byte = i % 4 < 3 ? i / 4 * 3 + i % 4 : 0;
      first_[i] = static_cast<std::uint8_t>(byte);
      last_[i] = static_cast<std::uint8_t>(byte + 4);
      packed_[i] = static_cast<std::uint8_t>(i < 12 ? i / 3 * 4 + i % 3 : 0);
    }
  }

  // Three channels are read with four extra bytes: those after the pixels, or those before them if
  // the pixels are the `last` of their row. The output also gets four extra bytes, which the next
  // block overwrites. `at_end` omits them, because there is no next block and no room.
  HWY_INLINE void move(const std::uint8_t* HWY_RESTRICT in, std::ptrdiff_t in_stride, bool last,
                       std::uint8_t* HWY_RESTRICT out, std::ptrdiff_t out_stride,
                       bool at_end) const {
    Vector rows[kPixels], mixed[kPixels];
    for (int i = 0; i < kPixels; ++i) rows[i] = load(in + i * in_stride, last);
    // Each round interleaves rows half a block apart; after the last round columns are rows.
    for (int round = 1; round < kPixels; round *= 2) {
      for (int i = 0; i < kPixels / 2; ++i) {
        mixed[2 * i] = hn::InterleaveLower(Lanes(), rows[i], rows[i + kPixels / 2]);
        mixed[2 * i + 1] = hn::InterleaveUpper(Lanes(), rows[i], rows[i + kPixels / 2]);
      }
      for (int i = 0; i < kPixels; ++i) rows[i] = mixed[i];
    }
    for (int i = 0; i < kPixels; ++i) store(rows[i], out + i * out_stride, at_end);
  }

 private:
  HWY_INLINE Vector load(const std::uint8_t* from, bool last) const {
    if constexpr (channels == 3) {
      const auto bytes = hn::LoadU(Bytes(), last ? from - 4 : from);
      return hn::BitCast(Lanes(),
                         hn::TableLookupBytes(bytes, hn::Load(Bytes(), last ? last_ : first_)));
    } else {
      return hn::BitCast(Lanes(), hn::LoadU(Bytes(), from));
    }
  }

  HWY_INLINE void store(Vector pixels, std::uint8_t* to, bool at_end) const {
    auto bytes = hn::BitCast(Bytes(), pixels);
    if constexpr (channels == 3) {
      bytes = hn::TableLookupBytes(bytes, hn::Load(Bytes(), packed_));
      if (at_end) {
        alignas(16) std::uint8_t all[16];
        hn::Store(bytes, Bytes(), all);
        std::memcpy(to, all, 12);
        return;
      }
    }
    hn::StoreU(bytes, Bytes(), to);
  }

  alignas(16) std::uint8_t first_[16], last_[16], packed_[16];
};

// The number of columns moved together: reads are adjacent, and the written rows stay in the cache.
constexpr int kColumns = 32;
#endif

template <int channels>
HWY_INLINE void transpose(const std::uint8_t* HWY_RESTRICT in, std::ptrdiff_t in_stride, int width,
                          int height, std::uint8_t* HWY_RESTRICT out, std::ptrdiff_t out_stride) {
  int columns = 0, rows = 0;
#if HWY_TARGET != HWY_SCALAR
  const Block<channels> block;
  constexpr int kPixels = Block<channels>::kPixels;
  // Bytes before the last pixels of a row exist if it has more pixels than those.
  const bool fits = channels != 3 || width * channels >= 16;
  columns = fits ? width / kPixels * kPixels : 0;
  rows = columns > 0 ? height / kPixels * kPixels : 0;
  for (int first = 0; first < columns; first += kColumns) {
    const int end = std::min(first + kColumns, columns);
    for (int y = 0; y < rows; y += kPixels) {
      const bool at_end = height - y < kPixels + 2;
      for (int x = first; x < end; x += kPixels) {
        block.move(in + y * in_stride + x * channels, in_stride, width - x < kPixels + 2,
                   out + x * out_stride + y * channels, out_stride, at_end);
      }
    }
  }
#endif
  move_pixels<channels>(in + columns * channels, in_stride, width - columns, rows,
                        out + columns * out_stride, out_stride);
  move_pixels<channels>(in + rows * in_stride, in_stride, width, height - rows,
                        out + rows * channels, out_stride);
}

void TransposeRows(const std::uint8_t* in, std::ptrdiff_t in_stride, int width, int height,
                   int channels, std::uint8_t* out, std::ptrdiff_t out_stride) {
  switch (channels) {
    case 1:
      return transpose<1>(in, in_stride, width, height, out, out_stride);
    case 2:
      return transpose<2>(in, in_stride, width, height, out, out_stride);
    case 3:
      return transpose<3>(in, in_stride, width, height, out, out_stride);
    default:
      return transpose<4>(in, in_stride, width, height, out, out_stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(FlipRow);
HWY_EXPORT(TransposeRows);

void flip_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(FlipRow)(in, static_cast<std::size_t>(width), channels, out);
}

void transpose_rows(const std::uint8_t* in, std::ptrdiff_t in_stride, int width, int height,
                    int channels, std::uint8_t* out, std::ptrdiff_t out_stride) {
  HWY_DYNAMIC_DISPATCH(TransposeRows)
  (in, in_stride, width, height, channels, out, out_stride);
}

}  // namespace sluice::kernels
#endif
