#include <sluice/ops/kernels/luma.h>

#include <algorithm>
#include <numeric>

// The compiler must know the vector length.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/luma.cpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Included once per instruction set.
#include <sluice/ops/kernels/pixel_blocks.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
              d32, hn::BitCast(d16, hn::TableLookupBytesOr0(four, red_green)), first_weights, half,
              rest);
          sum = hn::ReorderWidenMulAccumulate(
              d32, hn::BitCast(d16, hn::TableLookupBytesOr0(four, blue_green)), other_weights, sum,
              rest);
          const auto of_65536 = hn::BitCast(d8, hn::RearrangeToOddPlusEven(sum, rest));
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

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(LumaOfPixels);
HWY_EXPORT(RepeatThrice);

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

}  // namespace sluice::kernels
#endif
