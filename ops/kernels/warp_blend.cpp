#include <sluice/ops/kernels/warp_blend.h>

#include <cstring>

// These vectors are made of halves, whose size is unknown at compile time for scalable extensions.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/warp_blend.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

// Takes positions one by one, in FixedLine's units.
struct OnePlace {
  std::int64_t x, y;
};
struct OnLine {
  FixedLine line;
  OnePlace place(std::int64_t i) const { return {line.x + i * line.dx, line.y + i * line.dy}; }
};
struct Listed {
  const std::int32_t* x;
  const std::int32_t* y;
  OnePlace place(std::int64_t i) const {
    constexpr std::int64_t kUnit = std::int64_t{1} << (kPlaceBits - kWeightBits);
    return {x[i] * kUnit, y[i] * kUnit};
  }
};

template <int channels, class Places>
void blend_one_by_one(const std::uint8_t* data, std::ptrdiff_t stride, const Places& places,
                      std::int64_t count, std::uint8_t* out) {
  for (std::int64_t i = 0; i < count; ++i, out += channels) {
    const OnePlace at = places.place(i);
    const std::uint8_t* upper =
        data + (at.y >> kPlaceBits) * stride + (at.x >> kPlaceBits) * channels;
    const std::uint8_t* lower = upper + stride;
    const int wx = weight_of(at.x), wy = weight_of(at.y);
    for (int c = 0; c < channels; ++c) {
      out[c] = blend_of_four(upper[c], upper[c + channels], lower[c], lower[c + channels], wx, wy);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

template <int channels, class Places>
void blend(const std::uint8_t* data, std::ptrdiff_t stride, const Places& places,
           std::int64_t count, std::uint8_t* out) {
  blend_one_by_one<channels>(data, stride, places, count, out);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<std::int64_t>;
using D32 = hn::Repartition<std::int32_t, D64>;
using D16 = hn::Repartition<std::int16_t, D64>;
using D8 = hn::Repartition<std::uint8_t, D64>;
using DU64 = hn::RebindToUnsigned<D64>;
using DU32 = hn::RebindToUnsigned<D32>;
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
using V16 = hn::Vec<D16>;
using V8 = hn::Vec<D8>;

constexpr int kPlaces = static_cast<int>(hn::MaxLanes(D64()));  // positions per vector
constexpr int kPixels = 2 * kPlaces;                            // pixels per step

// Loads 8 bytes from each of these positions.
template <class D>
HWY_INLINE hn::Vec<D> words_at(D d, const std::uint8_t* base, const std::int64_t* offsets) {
  constexpr std::size_t kWords = hn::MaxLanes(D()) / 8;
  if constexpr (kWords == 1) {
    return hn::LoadU(d, base + offsets[0]);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, words_at(half, base, offsets + kWords / 2),
                       words_at(half, base, offsets));
  }
}

// a[2i] * b[2i] + a[2i+1] * b[2i+1] + sum[i]. On ARM, products[i] is not yet the sum for i, so
// `sum` is added at the end.
HWY_INLINE V32 products_of_pairs(V16 a, V16 b, V32 sum) {
  V32 rest = hn::Zero(D32());
  const V32 products = hn::ReorderWidenMulAccumulate(D32(), a, b, hn::Zero(D32()), rest);
  return hn::Add(sum, hn::RearrangeToOddPlusEven(products, rest));
}

// Repeats the same 16 indices in every block of 16 bytes.
HWY_INLINE V8 shuffle_of(const std::uint8_t (&index)[16]) { return hn::LoadDup128(D8(), index); }

constexpr std::uint8_t kNone = 0x80;

// From the words of two positions, extracts the left and right values of two channels as 16-bit
// pairs.
template <int channels>
HWY_INLINE V8 pairs_shuffle(int first_channel) {
  alignas(16) std::uint8_t index[16];
  for (int i = 0; i < 16; ++i) {
    const int channel = first_channel + i % 8 / 4, right = i % 4 / 2;
    index[i] = i % 2 == 1 || channel >= channels
                   ? kNone
                   : static_cast<std::uint8_t>(i / 8 * 8 + right * channels + channel);
  }
  return shuffle_of(index);
}

// Orders the bytes of four pixels. A block has two 32-bit lanes for each of pixels 0 and 1. The
// bytes of a lane are channel 0 or 1, the same of the pixel two further on, channel 2 or 3, and the
// same of that pixel.
template <int channels>
HWY_INLINE V8 pixels_shuffle() {
  alignas(16) std::uint8_t index[16];
  for (int i = 0; i < 16; ++i) {
    const int pixel = i / channels, channel = i % channels;
    index[i] = pixel >= 4 ? kNone
                          : static_cast<std::uint8_t>(pixel % 2 * 8 + channel % 2 * 4 +
                                                      channel / 2 * 2 + pixel / 2);
  }
  return shuffle_of(index);
}

// Makes the 4 * channels bytes of the blocks adjacent.
template <int channels>
HWY_INLINE auto blocks_side_by_side() {
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D32()));
  alignas(HWY_MAX_BYTES) std::int32_t index[kLanes];
  for (int i = 0; i < kLanes; ++i) index[i] = std::min(i / channels * 4 + i % channels, kLanes - 1);
  return hn::SetTableIndices(D32(), index);
}

// The constants of a row.
template <int channels>
struct Row {
  const std::uint8_t* upper;
  const std::uint8_t* lower;
  V32 stride;
  V8 first_pair = pairs_shuffle<channels>(0);
  V8 second_pair = pairs_shuffle<channels>(2);
};

// Interpolates at some positions, with two 32-bit lanes each: channels 0 and 1 in the lower halves,
// 2 and 3 in the upper halves.
template <int channels>
HWY_INLINE V32 blends(const Row<channels>& row, V64 x, V64 y) {
  const D64 d64;
  const DU64 du64;
  const D32 d32;
  const DU32 du32;
  const D16 d16;
  const D8 d8;
  alignas(HWY_MAX_BYTES) std::int64_t offsets[kPlaces];
  const auto whole = [&](V64 place) HWY_ATTR {
    return hn::BitCast(d32, hn::ShiftRight<kPlaceBits>(hn::BitCast(du64, place)));
  };
  hn::Store(
      hn::Add(hn::MulEven(whole(y), row.stride), hn::MulEven(whole(x), hn::Set(d32, channels))),
      d64, offsets);
  const V8 upper = words_at(d8, row.upper, offsets);
  const V8 lower = words_at(d8, row.lower, offsets);

  const auto weight = [&](V64 place) HWY_ATTR {
    const auto low = hn::ShiftRight<kPlaceBits - kWeightBits>(hn::BitCast(du32, place));
    return hn::BitCast(d32, hn::DupEven(low));
  };
  // The left weights in the even lanes, the right ones in the odd lanes.
  const V32 right = weight(x);
  const V16 wx = hn::BitCast(
      d16, hn::Add(hn::ShiftLeft<16>(right), hn::Sub(hn::Set(d32, 1 << kWeightBits), right)));
  const V32 wy = weight(y);

  // Half a unit of the result; the upper row adds it to the sum.
  const V32 half = hn::Set(d32, 1 << (kWeightBits - 1));
  const auto blend_pairs = [&](V8 shuffle) HWY_ATTR {
    const auto pairs = [&](V8 words) HWY_ATTR {
      return hn::BitCast(d16, hn::TableLookupBytesOr0(words, shuffle));
    };
    const V32 above = products_of_pairs(pairs(upper), wx, half);
    const V32 below = products_of_pairs(pairs(lower), wx, half);
    const V32 sum = hn::Add(hn::ShiftLeft<kWeightBits>(above), hn::Mul(hn::Sub(below, above), wy));
    return hn::ShiftRight<2 * kWeightBits>(sum);
  };
  V32 levels = blend_pairs(row.first_pair);
  if constexpr (channels > 2)
    levels = hn::Or(levels, hn::ShiftLeft<16>(blend_pairs(row.second_pair)));
  return levels;
}

// kPixels positions. Lanes 2 b and 2 b + 1 of `near` are the pixels 4 b and 4 b + 1; `far` has the
// pixels 4 b + 2 and 4 b + 3.
struct Group {
  V64 near_x, near_y, far_x, far_y;
};

class LineGroups {
 public:
  explicit LineGroups(const OnLine& places) : line_(places.line) {
    alignas(HWY_MAX_BYTES) std::int64_t steps[2][kPlaces];
    for (int lane = 0; lane < kPlaces; ++lane) {
      const int pixel = lane / 2 * 4 + lane % 2;
      steps[0][lane] = pixel * line_.dx;
      steps[1][lane] = pixel * line_.dy;
    }
    steps_x_ = hn::Load(D64(), steps[0]);
    steps_y_ = hn::Load(D64(), steps[1]);
  }
  HWY_INLINE Group at(std::int64_t i) const {
    const D64 d;
    const V64 x = hn::Add(hn::Set(d, line_.x + i * line_.dx), steps_x_);
    const V64 y = hn::Add(hn::Set(d, line_.y + i * line_.dy), steps_y_);
    return {x, y, hn::Add(x, hn::Set(d, 2 * line_.dx)), hn::Add(y, hn::Set(d, 2 * line_.dy))};
  }

 private:
  FixedLine line_;
  V64 steps_x_, steps_y_;
};

class ListedGroups {
 public:
  explicit ListedGroups(const Listed& places) : places_(places) {}
  HWY_INLINE Group at(std::int64_t i) const {
    Group group;
    spread(places_.x + i, group.near_x, group.far_x);
    spread(places_.y + i, group.near_y, group.far_y);
    return group;
  }

 private:
  // Integer parts go to the upper halves of the lanes, fractions to the top of the lower halves.
  static HWY_INLINE void spread(const std::int32_t* places, V64& near, V64& far) {
    const D32 d;
    const V32 all = hn::LoadU(d, places);
    const V32 fraction = hn::ShiftLeft<kPlaceBits - kWeightBits>(all);
    const V32 whole = hn::ShiftRight<kWeightBits>(all);
    near = hn::BitCast(D64(), hn::InterleaveLower(d, fraction, whole));
    far = hn::BitCast(D64(), hn::InterleaveUpper(d, fraction, whole));
  }

  Listed places_;
};

HWY_INLINE LineGroups groups_of(const OnLine& places) { return LineGroups(places); }
HWY_INLINE ListedGroups groups_of(const Listed& places) { return ListedGroups(places); }

template <int channels, class Places>
void blend(const std::uint8_t* HWY_RESTRICT data, std::ptrdiff_t stride, const Places& places,
           std::int64_t count, std::uint8_t* HWY_RESTRICT out) {
  if (count < kPixels) return blend_one_by_one<channels>(data, stride, places, count, out);
  const D32 d32;
  const D8 d8;
  const auto groups = groups_of(places);
  const Row<channels> row{data, data + stride, hn::Set(d32, static_cast<std::int32_t>(stride))};
  const V8 order = pixels_shuffle<channels>();
  const auto side_by_side = blocks_side_by_side<channels>();

  const std::int64_t bytes = count * channels;
  constexpr int kWritten = kPixels * channels;
  for (std::int64_t begin = 0; begin < count; begin += kPixels) {
    const std::int64_t i = std::min(begin, count - kPixels);
    const Group group = groups.at(i);
    const V32 near = blends(row, group.near_x, group.near_y);
    const V32 far = blends(row, group.far_x, group.far_y);
    const V8 levels = hn::BitCast(d8, hn::Or(near, hn::ShiftLeft<8>(far)));
    const V8 blocks = hn::TableLookupBytesOr0(levels, order);
    const V8 pixels = hn::BitCast(d8, hn::TableLookupLanes(hn::BitCast(d32, blocks), side_by_side));
    const std::int64_t at = i * channels;
    // The next pixels overwrite the bytes written beyond the pixels.
    if (at + static_cast<std::int64_t>(hn::Lanes(d8)) <= bytes) {
      hn::StoreU(pixels, d8, out + at);
    } else {
      alignas(HWY_MAX_BYTES) std::uint8_t last[hn::MaxLanes(D8())];
      hn::Store(pixels, d8, last);
      std::memcpy(out + at, last, kWritten);
    }
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

template <class Places>
void blend_pixels(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                  const Places& places, std::int64_t count, std::uint8_t* out) {
  switch (channels) {
    case 1:
      return blend<1>(data, stride, places, count, out);
    case 2:
      return blend<2>(data, stride, places, count, out);
    case 3:
      return blend<3>(data, stride, places, count, out);
    default:
      return blend<4>(data, stride, places, count, out);
  }
}

void BlendLine(const std::uint8_t* data, std::ptrdiff_t stride, int channels, const FixedLine& line,
               std::int64_t count, std::uint8_t* out) {
  blend_pixels(data, stride, channels, OnLine{line}, count, out);
}

void BlendListed(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                 const std::int32_t* x, const std::int32_t* y, std::int64_t count,
                 std::uint8_t* out) {
  blend_pixels(data, stride, channels, Listed{x, y}, count, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(BlendLine);
HWY_EXPORT(BlendListed);

void blend_places(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                  const FixedLine& line, std::int64_t count, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendLine)(data, stride, channels, line, count, out);
}

void blend_places(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                  const std::int32_t* x, const std::int32_t* y, std::int64_t count,
                  std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendListed)(data, stride, channels, x, y, count, out);
}

}  // namespace sluice::kernels
#endif
