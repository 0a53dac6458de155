// Products are exact, so fused operations do not change the results.
#include <sluice/ops/kernels/color_rows.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

// The compiler must know the vector length.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/color_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pixels of 3 or 4 channels in vectors: each block of 16 bytes begins with four pixels, so that one
// shuffle extracts a channel.
namespace blocks {

#if HWY_TARGET != HWY_SCALAR

// Block b is the 16 bytes at `from` + b * step.
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const std::uint8_t* from, std::size_t step) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const std::size_t blocks = hn::MaxLanes(d) / 32;
    return hn::Combine(d, load(half, from + blocks * step, step), load(half, from, step));
  }
}

// Stores each block b completely to `to` + b * step, in order.
template <class D>
HWY_INLINE void store(hn::Vec<D> values, D d, std::uint8_t* to, std::size_t step) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    hn::StoreU(values, d, to);
  } else {
    const hn::Half<D> half;
    const std::size_t blocks = hn::MaxLanes(d) / 32;
    store(hn::LowerHalf(half, values), half, to, step);
    store(hn::UpperHalf(half, values), half, to + blocks * step, step);
  }
}

// Returns the integer parts of numbers below 2^31 in magnitude. ConvertTo also handles others, but
// is slower.
template <class D, class V>
HWY_INLINE hn::Vec<D> whole_parts([[maybe_unused]] D ints, V numbers) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  if constexpr (hn::MaxLanes(D()) == 16) {
#if HWY_TARGET <= HWY_AVX3
    return hn::Vec<D>{_mm512_cvttps_epi32(numbers.raw)};
#endif
  } else if constexpr (hn::MaxLanes(D()) == 8) {
#if HWY_TARGET <= HWY_AVX2
    return hn::Vec<D>{_mm256_cvttps_epi32(numbers.raw)};
#endif
  } else {
    return hn::Vec<D>{_mm_cvttps_epi32(numbers.raw)};
  }
#else
  return hn::ConvertTo(ints, numbers);
#endif
}

// Packs integers to bytes with saturation: each block holds four of each of a, b, c and d.
template <class D, class V>
HWY_INLINE hn::Vec<D> packed([[maybe_unused]] D bytes, V a, V b, V c, V d) {
  const hn::Repartition<std::int16_t, D> shorts;
  const auto ab = hn::ReorderDemote2To(shorts, a, b), cd = hn::ReorderDemote2To(shorts, c, d);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  if constexpr (hn::MaxLanes(D()) == 64) {
#if HWY_TARGET <= HWY_AVX3
    return hn::Vec<D>{_mm512_packus_epi16(ab.raw, cd.raw)};
#endif
  } else if constexpr (hn::MaxLanes(D()) == 32) {
#if HWY_TARGET <= HWY_AVX2
    return hn::Vec<D>{_mm256_packus_epi16(ab.raw, cd.raw)};
#endif
  } else {
    return hn::Vec<D>{_mm_packus_epi16(ab.raw, cd.raw)};
  }
#else
  static_assert(hn::MaxLanes(D()) == 16, "a block is a whole vector");
  const hn::Half<D> half;
  return hn::Combine(bytes, hn::DemoteTo(half, cd), hn::DemoteTo(half, ab));
#endif
}

#endif

// Calls one(from, to) for every `pixels` pixels of `from_channels` bytes; the results have
// `to_channels`. It may read and write two more pixels, so the last pixels go through a buffer.
template <std::size_t pixels, std::size_t from_channels, std::size_t to_channels, class F>
HWY_INLINE void for_each(const std::uint8_t* in, std::size_t count, std::uint8_t* out,
                         const F& one) {
  std::size_t at = 0;
  for (; at + pixels + 2 <= count; at += pixels)
    one(in + at * from_channels, out + at * to_channels);
  std::uint8_t from[(pixels + 2) * from_channels] = {};
  std::uint8_t to[(pixels + 2) * to_channels];
  for (; at < count; at += pixels) {
    const std::size_t rest = std::min(pixels, count - at);
    std::memcpy(from, in + at * from_channels, rest * from_channels);
    one(from, to);
    std::memcpy(out + at * to_channels, to, rest * to_channels);
  }
}

}  // namespace blocks

#if HWY_TARGET == HWY_SCALAR

template <std::size_t channels>
void luma_of(const std::uint8_t* pixels, std::size_t count, std::uint8_t* luma) {
  for (std::size_t i = 0; i < count; ++i, pixels += channels) {
    float sum = 32768;
    for (std::size_t c = 0; c < 3; ++c) sum += kLumaOf65536[c] * static_cast<float>(pixels[c]);
    luma[i] = static_cast<std::uint8_t>(static_cast<int>(sum) >> 16);
  }
}

void RepeatThrice(const std::uint8_t* levels, std::size_t count, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) std::fill_n(out + 3 * i, 3, levels[i]);
}

#else

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::Repartition<std::int16_t, D8>;
using D32 = hn::Repartition<std::int32_t, D8>;

// Extracts two channels of the four pixels in a block as 16-bit numbers. 0x80 produces a zero.
template <std::size_t channels>
HWY_INLINE hn::Vec<D8> places_of(std::size_t first, std::size_t second) {
  alignas(16) std::uint8_t places[16];
  for (std::size_t i = 0; i < 16; ++i)
    places[i] = static_cast<std::uint8_t>(
        i % 2 == 1 ? 0x80 : i / 4 * channels + (i % 4 == 0 ? first : second));
  return hn::LoadDup128(D8(), places);
}

// Moves the third byte of each of four numbers to the bytes from 4 * quarter on.
HWY_INLINE hn::Vec<D8> places_to(std::size_t quarter) {
  alignas(16) std::uint8_t places[16];
  for (std::size_t i = 0; i < 16; ++i)
    places[i] = static_cast<std::uint8_t>(i / 4 == quarter ? i % 4 * 4 + 2 : 0x80);
  return hn::LoadDup128(D8(), places);
}

// 16-bit numbers are too small for the weight of green, so it is added in two halves.
template <std::size_t channels>
HWY_INLINE void luma_of(const std::uint8_t* pixels, std::size_t count, std::uint8_t* luma) {
  constexpr auto kRed = static_cast<std::int32_t>(kLumaOf65536[0]);
  constexpr auto kHalfGreen = static_cast<std::int32_t>(kLumaOf65536[1] / 2);
  constexpr auto kBlue = static_cast<std::int32_t>(kLumaOf65536[2]);
  const D8 d8;
  const D16 d16;
  const D32 d32;
  const auto red_green = places_of<channels>(0, 1), blue_green = places_of<channels>(2, 1);
  const auto first_weights = hn::BitCast(d16, hn::Set(d32, kRed + kHalfGreen * 65536));
  const auto other_weights = hn::BitCast(d16, hn::Set(d32, kBlue + kHalfGreen * 65536));
  const auto half = hn::Set(d32, 32768);
  blocks::for_each<hn::MaxLanes(d8), channels, 1>(
      pixels, count, luma, [&](const std::uint8_t* from, std::uint8_t* to) HWY_ATTR {
        auto all = hn::Zero(d8);
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
          const auto four = blocks::load(d8, from + quarter * 4 * channels, 16 * channels);
          auto rest = hn::Zero(d32);
          auto sum = hn::ReorderWidenMulAccumulate(
              d32, hn::BitCast(d16, hn::TableLookupBytesOr0(four, red_green)), first_weights,
              hn::Zero(d32), rest);
          sum = hn::ReorderWidenMulAccumulate(
              d32, hn::BitCast(d16, hn::TableLookupBytesOr0(four, blue_green)), other_weights, sum,
              rest);
          // Only now is lane i that of pixel i, on all processors.
          const auto of_65536 =
              hn::BitCast(d8, hn::Add(hn::RearrangeToOddPlusEven(sum, rest), half));
          all = hn::Or(all, hn::TableLookupBytesOr0(of_65536, places_to(quarter)));
        }
        hn::StoreU(all, d8, to);
      });
}

void RepeatThrice(const std::uint8_t* HWY_RESTRICT levels, std::size_t count,
                  std::uint8_t* HWY_RESTRICT out) {
  const hn::FixedTag<std::uint8_t, 16> d;
  alignas(16) std::uint8_t places[3][16];
  for (std::size_t i = 0; i < 48; ++i) places[i / 16][i % 16] = static_cast<std::uint8_t>(i / 3);
  std::size_t at = 0;
  for (; at + 16 <= count; at += 16) {
    const auto level = hn::LoadU(d, levels + at);
    for (std::size_t i = 0; i < 3; ++i)
      hn::StoreU(hn::TableLookupBytes(level, hn::Load(d, places[i])), d, out + 3 * at + 16 * i);
  }
  for (; at < count; ++at) std::fill_n(out + 3 * at, 3, levels[at]);
}

#endif  // HWY_TARGET == HWY_SCALAR

void LumaOfPixels(const std::uint8_t* pixels, std::size_t count, int channels, std::uint8_t* luma) {
  if (channels == 3) {
    luma_of<3>(pixels, count, luma);
  } else {
    luma_of<4>(pixels, count, luma);
  }
}

using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using DByte = hn::Rebind<std::uint8_t, DFloat>;
using Floats = hn::Vec<DFloat>;

HWY_INLINE Floats floats(const std::uint8_t* levels) {
  return hn::ConvertTo(DFloat(), hn::PromoteTo(DInt(), hn::LoadU(DByte(), levels)));
}

HWY_INLINE void store(Floats values, std::uint8_t* levels) {
  hn::StoreU(hn::DemoteTo(DByte(), hn::ConvertTo(DInt(), values)), DByte(), levels);
}

HWY_INLINE Floats sum_of(const std::array<float, 4>& row, Floats r, Floats g, Floats b) {
  const DFloat d;
  const auto one = hn::MulAdd(hn::Set(d, row[0]), r, hn::Set(d, row[3]));
  const auto two = hn::MulAdd(hn::Set(d, row[1]), g, one);
  return hn::MulAdd(hn::Set(d, row[2]), b, two);
}

void ColorMatrixOfPlanes(const FloatMatrix& matrix, std::size_t count, Planes& planes) {
  const FloatMatrix m = matrix;  // a copy that stores to the planes cannot change
  std::uint8_t* const red = planes.channel[0].data();
  std::uint8_t* const green = planes.channel[1].data();
  std::uint8_t* const blue = planes.channel[2].data();
  for (std::size_t i = 0; i < count; i += hn::Lanes(DFloat())) {
    const auto r = floats(red + i), g = floats(green + i), b = floats(blue + i);
    store(sum_of(m[0], r, g, b), red + i);
    store(sum_of(m[1], r, g, b), green + i);
    store(sum_of(m[2], r, g, b), blue + i);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <std::size_t channels>
void map_pixels(const FloatMatrix& m, const std::uint8_t* in, std::size_t count,
                std::uint8_t* out) {
  for (; count != 0; --count, in += channels, out += channels) {
    for (std::size_t c = 0; c < 3; ++c)
      store(sum_of(m[c], floats(in), floats(in + 1), floats(in + 2)), out + c);
    if constexpr (channels == 4) out[3] = in[3];
  }
}

#else

using DInts = hn::Repartition<std::int32_t, DFloat>;
using DBytes = hn::Repartition<std::uint8_t, DFloat>;
using Bytes = hn::Vec<DBytes>;

// Extracts one channel of the four pixels in a block of bytes as integers. 0x80 produces a zero.
template <std::size_t channels>
HWY_INLINE Bytes places_of(std::size_t channel) {
  alignas(16) std::uint8_t places[16];
  for (std::size_t i = 0; i < 16; ++i)
    places[i] = static_cast<std::uint8_t>(i % 4 == 0 ? i / 4 * channels + channel : 0x80);
  return hn::LoadDup128(DBytes(), places);
}

template <std::size_t channels>
HWY_INLINE void map_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                           std::uint8_t* out) {
  const DFloat d;
  const DInts d32;
  const DBytes d8;
  const FloatMatrix m = matrix;  // a copy that stores to the pixels cannot change
  const auto red = places_of<channels>(0), green = places_of<channels>(1),
             blue = places_of<channels>(2), fourth = places_of<channels>(channels - 1);
  // Turns rows of four values per channel into pixels.
  alignas(16) std::uint8_t order[16];
  for (std::size_t i = 0; i < 16; ++i)
    order[i] = static_cast<std::uint8_t>(i < 4 * channels ? i % channels * 4 + i / channels : 0x80);
  const auto pixel_by_pixel = hn::LoadDup128(d8, order);
  blocks::for_each<hn::MaxLanes(d), channels, channels>(
      in, count, out, [&](const std::uint8_t* from, std::uint8_t* to) HWY_ATTR {
        const auto pixels = blocks::load(d8, from, 4 * channels);
        const auto levels = [&](Bytes places) HWY_ATTR {
          return hn::BitCast(d32, hn::TableLookupBytesOr0(pixels, places));
        };
        const auto r = hn::ConvertTo(d, levels(red)), g = hn::ConvertTo(d, levels(green)),
                   b = hn::ConvertTo(d, levels(blue));
        const auto row = [&](std::size_t i)
                             HWY_ATTR { return blocks::whole_parts(d32, sum_of(m[i], r, g, b)); };
        const auto third = row(2);
        const auto all =
            blocks::packed(d8, row(0), row(1), third, channels == 4 ? levels(fourth) : third);
        blocks::store(hn::TableLookupBytesOr0(all, pixel_by_pixel), d8, to, 4 * channels);
      });
}

#endif  // HWY_TARGET == HWY_SCALAR

void ColorMatrixOfPixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                         int channels, std::uint8_t* out) {
  channels == 3 ? map_pixels<3>(matrix, in, count, out) : map_pixels<4>(matrix, in, count, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(LumaOfPixels);
HWY_EXPORT(RepeatThrice);
HWY_EXPORT(ColorMatrixOfPlanes);
HWY_EXPORT(ColorMatrixOfPixels);

void luma_of_pixels(const std::uint8_t* pixels, std::size_t count, int channels,
                    std::uint8_t* luma) {
  HWY_DYNAMIC_DISPATCH(LumaOfPixels)(pixels, count, channels, luma);
}

void repeat_thrice(const std::uint8_t* levels, std::size_t count, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(RepeatThrice)(levels, count, out);
}

double mean_luma(const Image& in) {
  const auto sum_of = [](const std::uint8_t* levels, std::size_t count) {
    return std::accumulate(levels, levels + count, std::uint32_t{0});
  };
  std::uint64_t sum = 0;
  constexpr std::size_t kAtOnce = 512;
  std::array<std::uint8_t, kAtOnce> luma;
  const auto width = static_cast<std::size_t>(in.width());
  for (int y = 0; y < in.height(); ++y) {
    for (std::size_t x = 0; x < width; x += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, width - x);
      if (in.channels() == 1) {
        sum += sum_of(in.row(y) + x, count);
        continue;
      }
      luma_of_pixels(in.row(y) + x * static_cast<std::size_t>(in.channels()), count, in.channels(),
                     luma.data());
      sum += sum_of(luma.data(), count);
    }
  }
  return static_cast<double>(sum) /
         (static_cast<double>(in.height()) * static_cast<double>(in.width()));
}

void color_matrix_of_planes(const FloatMatrix& matrix, std::size_t count, Planes& planes) {
  HWY_DYNAMIC_DISPATCH(ColorMatrixOfPlanes)(matrix, count, planes);
}
void color_matrix_of_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                            int channels, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(ColorMatrixOfPixels)(matrix, in, count, channels, out);
}

}  // namespace sluice::kernels
#endif
