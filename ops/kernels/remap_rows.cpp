// Compiled without contraction to fused multiply-add (CMakeLists.txt), which not all instruction
// sets have.
#include <sluice/ops/kernels/remap_rows.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>

// These vectors consist of blocks of 16 bytes.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/remap_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

void places_one_by_one(const std::array<double, 9>& m, double y, int first, int count, double* to_x,
                       double* to_y) {
  for (int i = first; i < count; ++i) {
    const double x = i + 0.5;
    const double part = 1 / (m[6] * x + m[7] * y + m[8]);
    to_x[i] = (m[0] * x + m[1] * y + m[2]) * part;
    to_y[i] = (m[3] * x + m[4] * y + m[5]) * part;
  }
}

#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64

PlacesDone SampleInnerPlaces(const Image&, Interpolation, const double*, const double*, int,
                             std::uint8_t*) {
  return {};
}

void PerspectivePlaces(const std::array<double, 9>& map, double y, int count, double* to_x,
                       double* to_y) {
  places_one_by_one(map, y, 0, count, to_x, to_y);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using DPlaces = hn::ScalableTag<double>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(DPlaces()));

void PerspectivePlaces(const std::array<double, 9>& map, double y, int count, double* to_x,
                       double* to_y) {
  const DPlaces d;
  const std::array<double, 9> m = map;  // a copy that stores to the outputs cannot change
  const auto sum = [&](std::size_t row, hn::Vec<DPlaces> x) HWY_ATTR {
    return hn::Add(hn::Add(hn::Mul(hn::Set(d, m[row]), x), hn::Set(d, m[row + 1] * y)),
                   hn::Set(d, m[row + 2]));
  };
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto x = hn::Iota(d, i + 0.5);
    const auto part = hn::Div(hn::Set(d, 1.0), sum(6, x));
    hn::StoreU(hn::Mul(sum(0, x), part), d, to_x + i);
    hn::StoreU(hn::Mul(sum(3, x), part), d, to_y + i);
  }
  places_one_by_one(map, y, i, count, to_x, to_y);
}

// Positions: nearest pixels as integers, others like place_after_middle().
struct Places {
  alignas(64) std::int32_t x[kPlacesAtOnce];
  alignas(64) std::int32_t y[kPlacesAtOnce];
};

// A position has all neighbors from pixel `first` on and before `right` and `bottom`.
struct Inside {
  int first, right, bottom;
};

// Bit i is the result of the test for position i; test(i) returns the mask of kLanes positions from
// i on.
template <class F>
HWY_INLINE std::uint64_t bits_of(const F& test) {
  std::uint64_t found = 0;
  for (int i = 0; i < kPlacesAtOnce; i += kLanes) {
    std::uint8_t bits[8] = {};
    (void)hn::StoreMaskBits(DPlaces(), test(i), bits);
    found |= std::uint64_t{bits[0]} << i;
  }
  return found;
}

// Bit i of `done` is set if position i lies inside. Positions that do not are set to 0.
template <bool nearest>
PlacesDone find_inner(const Inside& inside, const Image& in, const double* x, const double* y,
                      int count, Places& places) {
  double padded[2][kPlacesAtOnce];
  if (count < kPlacesAtOnce) {
    for (int axis = 0; axis < 2; ++axis) {
      double* const to = padded[axis];
      std::copy_n(axis == 0 ? x : y, count, to);
      std::fill(to + count, to + kPlacesAtOnce, std::numeric_limits<double>::quiet_NaN());
    }
    x = padded[0];
    y = padded[1];
  }
  const DPlaces d;
  const hn::Rebind<std::int32_t, DPlaces> d32;
  constexpr double kWhole = nearest ? 1 : 1 << kWeightBits;
  const auto first = hn::Set(d, inside.first * kWhole);
  const auto right = hn::Set(d, inside.right * kWhole), bottom = hn::Set(d, inside.bottom * kWhole);
  const auto place = [&](const double* at) HWY_ATTR {
    const auto value = hn::LoadU(d, at);
    if constexpr (nearest) return value;
    return hn::Sub(hn::Mul(value, hn::Set(d, kWhole)), hn::Set(d, (kWhole - 1) / 2));
  };
  // False for NaN.
  const auto is_inner = [&](hn::Vec<DPlaces> at_x, hn::Vec<DPlaces> at_y) HWY_ATTR {
    return hn::And(hn::And(hn::Ge(at_x, first), hn::Lt(at_x, right)),
                   hn::And(hn::Ge(at_y, first), hn::Lt(at_y, bottom)));
  };
  const auto store = [&](int i, hn::Vec<DPlaces> at_x, hn::Vec<DPlaces> at_y) HWY_ATTR {
    hn::Store(hn::DemoteTo(d32, at_x), d32, places.x + i);
    hn::Store(hn::DemoteTo(d32, at_y), d32, places.y + i);
  };
  // Usually all positions lie inside; the values of the others do not matter. But if C++ converts
  // the numbers, they must fit.
  const auto store_all = [&](int i) HWY_ATTR {
    const auto at_x = place(x + i), at_y = place(y + i);
    if constexpr (HWY_TARGET == HWY_EMU128) {
      const auto inner = is_inner(at_x, at_y);
      store(i, hn::IfThenElseZero(inner, at_x), hn::IfThenElseZero(inner, at_y));
    } else {
      store(i, at_x, at_y);
    }
    return is_inner(at_x, at_y);
  };
  auto all = store_all(0);
  for (int i = kLanes; i < kPlacesAtOnce; i += kLanes) all = hn::And(all, store_all(i));
  if (hn::AllTrue(d, all)) return {~std::uint64_t{0}, 0};
  const auto width = hn::Set(d, in.width()), height = hn::Set(d, in.height());
  const std::uint64_t in_image = bits_of([&](int i) HWY_ATTR {
    const auto at_x = hn::LoadU(d, x + i), at_y = hn::LoadU(d, y + i);
    return hn::And(hn::And(hn::Ge(at_x, hn::Zero(d)), hn::Lt(at_x, width)),
                   hn::And(hn::Ge(at_y, hn::Zero(d)), hn::Lt(at_y, height)));
  });
  if (in_image == 0) return {0, ~in_image};
  const std::uint64_t done = bits_of([&](int i) HWY_ATTR {
    const auto at_x = place(x + i), at_y = place(y + i);
    const auto inner = is_inner(at_x, at_y);
    store(i, hn::IfThenElseZero(inner, at_x), hn::IfThenElseZero(inner, at_y));
    return inner;
  });
  return {done, ~in_image};
}

// Calls sample(pixel, i, to) for each position found. `to` takes 4 bytes.
template <int channels, class F>
HWY_INLINE void for_inner(const Image& in, int fraction_bits, const Places& places,
                          std::uint64_t found, int count, std::uint8_t* out, const F& sample) {
  const std::uint8_t* const data = in.data();
  const std::ptrdiff_t stride = in.row_stride();
  // Bytes written beyond a pixel belong to the next one, except for the last pixels.
  constexpr int kMore = (4 + channels - 1) / channels - 1;
  for (int i = 0; i < count; ++i, out += channels) {
    if ((found >> i & 1) == 0) continue;
    const std::uint8_t* const pixel = data + (places.y[i] >> fraction_bits) * stride +
                                      std::ptrdiff_t{places.x[i] >> fraction_bits} * channels;
    if (i < count - kMore) {
      sample(pixel, i, out);
    } else {
      std::uint8_t last[4];
      sample(pixel, i, last);
      std::memcpy(out, last, channels);
    }
  }
}

using D8 = hn::FixedTag<std::uint8_t, 16>;
using D16 = hn::FixedTag<std::int16_t, 8>;
using D32 = hn::FixedTag<std::int32_t, 4>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

// The number of bytes read for four adjacent pixels.
constexpr int cubic_bytes(int channels) { return channels <= 2 ? 8 : 16; }

// From adjacent pixels, extracts the values of pixel `first` and of the next one as 16-bit pairs,
// one per channel.
template <int channels>
HWY_INLINE V8 pairs_shuffle(int first) {
  alignas(16) std::uint8_t index[16];
  for (int i = 0; i < 16; ++i) {
    const int channel = i / 4, pixel = first + i / 2 % 2;
    index[i] = i % 2 == 1 || channel >= channels
                   ? std::uint8_t{0x80}
                   : static_cast<std::uint8_t>(pixel * channels + channel);
  }
  return hn::Load(D8(), index);
}

// a[2i] * b[2i] + a[2i+1] * b[2i+1]
HWY_INLINE V32 products_of_pairs(V16 a, V16 b) {
  V32 rest = hn::Zero(D32());
  const V32 sum = hn::ReorderWidenMulAccumulate(D32(), a, b, hn::Zero(D32()), rest);
  return hn::RearrangeToOddPlusEven(sum, rest);
}

// Broadcasts two of the four weights to each pair.
HWY_INLINE V16 weight_pairs(const std::int16_t* weights) {
  std::int32_t both;
  std::memcpy(&both, weights, sizeof both);
  return hn::BitCast(D16(), hn::Set(D32(), both));
}

template <int channels>
class Cubic {
 public:
  explicit Cubic(std::ptrdiff_t stride) : stride_(stride) {}

  // `pixel` is the upper left of the middle four pixels.
  HWY_INLINE void sample(const std::uint8_t* pixel, int part_x, int part_y,
                         std::uint8_t* to) const {
    const D32 d32;
    const auto& across = cubic_table()[static_cast<std::size_t>(part_x)];
    const auto& down = cubic_table()[static_cast<std::size_t>(part_y)];
    const V16 left = weight_pairs(across.data()), right = weight_pairs(across.data() + 2);
    const auto row = [&](int number) HWY_ATTR {
      const V8 levels = load(pixel + (number - 1) * stride_ - channels);
      const V32 sum = hn::Add(products_of_pairs(pairs(levels, first_), left),
                              products_of_pairs(pairs(levels, last_), right));
      constexpr int kShift = kCubicBits - kCubicRowBits;
      return hn::ShiftRight<kShift>(hn::Add(sum, hn::Set(d32, 1 << (kShift - 1))));
    };
    const auto rows = [&](int number) HWY_ATTR {
      return hn::OddEven(hn::BitCast(D16(), hn::ShiftLeft<16>(row(number + 1))),
                         hn::BitCast(D16(), row(number)));
    };
    const V32 sum = hn::Add(products_of_pairs(rows(0), weight_pairs(down.data())),
                            products_of_pairs(rows(2), weight_pairs(down.data() + 2)));
    constexpr int kShift = kCubicBits + kCubicRowBits;
    const V32 level = hn::ShiftRight<kShift>(hn::Add(sum, hn::Set(d32, 1 << (kShift - 1))));
    const hn::Rebind<std::uint8_t, D32> to8;
    hn::StoreU(hn::DemoteTo(to8, level), to8, to);
  }

 private:
  static HWY_INLINE V8 load(const std::uint8_t* levels) {
    if constexpr (cubic_bytes(channels) == 16) {
      return hn::LoadU(D8(), levels);
    } else {
      return hn::ZeroExtendVector(D8(), hn::LoadU(hn::Half<D8>(), levels));
    }
  }
  static HWY_INLINE V16 pairs(V8 levels, V8 shuffle) {
    return hn::BitCast(D16(), hn::TableLookupBytesOr0(levels, shuffle));
  }

  std::ptrdiff_t stride_;
  V8 first_ = pairs_shuffle<channels>(0);
  V8 last_ = pairs_shuffle<channels>(2);
};

constexpr std::ptrdiff_t kFarthestByte = std::numeric_limits<std::int32_t>::max() / 2;

// Copies the nearest pixels at kPlacesAtOnce positions, all of which exist, `bytes` bytes each.
// Bytes written beyond a pixel belong to the next one.
template <int channels, int bytes>
void take_all(const Image& in, const Places& places, std::uint8_t* out) {
  const hn::ScalableTag<std::int32_t> d;
  const auto stride = hn::Set(d, static_cast<std::int32_t>(in.row_stride()));
  alignas(64) std::int32_t at[kPlacesAtOnce];
  for (int i = 0; i < kPlacesAtOnce; i += static_cast<int>(hn::Lanes(d))) {
    const auto column = hn::Mul(hn::Load(d, places.x + i), hn::Set(d, channels));
    hn::Store(hn::Add(hn::Mul(hn::Load(d, places.y + i), stride), column), d, at + i);
  }
  constexpr int kLast = kPlacesAtOnce - 1;
  for (int i = 0; i < kLast; ++i) std::memcpy(out + i * channels, in.data() + at[i], bytes);
  std::memcpy(out + kLast * channels, in.data() + at[kLast], channels);
}

constexpr int divided_up(int a, int b) { return (a + b - 1) / b; }

template <int channels>
PlacesDone sample_all(const Image& in, Interpolation interpolation, const double* x,
                      const double* y, int count, std::uint8_t* out) {
  const std::ptrdiff_t stride = in.row_stride();
  Places places;
  if (interpolation == Interpolation::nearest) {
    // Three channels are copied with the byte after them.
    constexpr int kBytes = channels + (channels == 3 ? 1 : 0);
    const PlacesDone found = find_inner<true>(
        {0, in.width() - divided_up(kBytes, channels) + 1, in.height()}, in, x, y, count, places);
    if (found.done == 0) return found;
    if (count == kPlacesAtOnce && std::abs(stride) <= kFarthestByte / in.height()) {
      take_all<channels, kBytes>(in, places, out);  // positions not found were set to 0
      return found;
    }
    for_inner<channels>(
        in, 0, places, found.done, count, out,
        [](const std::uint8_t* pixel, int, std::uint8_t* to) { std::memcpy(to, pixel, kBytes); });
    return found;
  }
  if (interpolation == Interpolation::bicubic) {
    constexpr int kColumns = divided_up(cubic_bytes(channels), channels);
    const PlacesDone found =
        find_inner<false>({1, in.width() + 2 - kColumns, in.height() - 2}, in, x, y, count, places);
    if (found.done == 0) return found;
    const Cubic<channels> cubic(stride);
    constexpr int kFraction = (1 << kWeightBits) - 1;
    for_inner<channels>(in, kWeightBits, places, found.done, count, out,
                        [&](const std::uint8_t* pixel, int i, std::uint8_t* to) HWY_ATTR {
                          cubic.sample(pixel, places.x[i] & kFraction, places.y[i] & kFraction, to);
                        });
    return found;
  }
  const PlacesDone found = find_inner<false>(
      {0, in.width() - columns_read(channels) + 1, in.height() - 1}, in, x, y, count, places);
  if (found.done == 0) return found;
  if (stride != static_cast<std::int32_t>(stride)) return {0, found.outside};
  blend_places(in.data(), stride, channels, places.x, places.y, count, out);
  return found;
}

PlacesDone SampleInnerPlaces(const Image& in, Interpolation interpolation, const double* x,
                             const double* y, int count, std::uint8_t* out) {
  switch (in.channels()) {
    case 1:
      return sample_all<1>(in, interpolation, x, y, count, out);
    case 2:
      return sample_all<2>(in, interpolation, x, y, count, out);
    case 3:
      return sample_all<3>(in, interpolation, x, y, count, out);
    default:
      return sample_all<4>(in, interpolation, x, y, count, out);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(SampleInnerPlaces);
HWY_EXPORT(PerspectivePlaces);

PlacesDone sample_inner_places(const Image& in, Interpolation interpolation, const double* x,
                               const double* y, int count, std::uint8_t* out) {
  return HWY_DYNAMIC_DISPATCH(SampleInnerPlaces)(in, interpolation, x, y, count, out);
}

void perspective_places(const std::array<double, 9>& map, double y, int count, double* to_x,
                        double* to_y) {
  HWY_DYNAMIC_DISPATCH(PerspectivePlaces)(map, y, count, to_x, to_y);
}

const std::array<std::array<std::int16_t, 4>, 1 << kWeightBits>& cubic_table() {
  static constexpr auto table = [] {
    std::array<std::array<std::int16_t, 4>, 1 << kWeightBits> made{};
    for (int part = 0; part < 1 << kWeightBits; ++part)
      made[static_cast<std::size_t>(part)] = cubic_weights(part);
    return made;
  }();
  return table;
}

}  // namespace sluice::kernels
#endif
