#include <sluice/ops/kernels/normalize_rows.h>

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/normalize_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DFloat = hn::ScalableTag<float>;
using DByte = hn::Rebind<std::uint8_t, DFloat>;

// As many floats as a vector holds, never more than this.
constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

template <class V>
HWY_INLINE void store(V values, float* out) {
  hn::StoreU(values, DFloat(), out);
}

template <class V>
HWY_INLINE void store(V values, Half* out) {
// Only these convert in hardware, and so with the rounding that Half has.
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_TARGET == HWY_NEON
  const hn::Rebind<hwy::float16_t, DFloat> d16;
  const auto halves = hn::DemoteTo(d16, values);
  hn::StoreU(hn::BitCast(hn::RebindToUnsigned<decltype(d16)>(), halves),
             hn::RebindToUnsigned<decltype(d16)>(), reinterpret_cast<std::uint16_t*>(out));
#else
  float floats[kMostLanes];
  hn::StoreU(values, DFloat(), floats);
  for (std::size_t i = 0; i < hn::Lanes(DFloat()); ++i) out[i] = Half(floats[i]);
#endif
}

template <class V>
HWY_INLINE auto normalized(V bytes, hn::Vec<DFloat> offset, hn::Vec<DFloat> factor) {
  const DFloat d;
  const auto x = hn::ConvertTo(d, hn::PromoteTo(hn::Rebind<std::int32_t, DFloat>(), bytes));
  return hn::Mul(hn::Sub(x, offset), factor);
}

template <int channels, class T>
HWY_INLINE void to_planes(const std::uint8_t* HWY_RESTRICT row, std::size_t width,
                          const ChannelScale& scale, T* HWY_RESTRICT out, std::size_t plane) {
  const DFloat d;
  const DByte d8;
  const std::size_t lanes = hn::Lanes(d);
  const auto o0 = hn::Set(d, scale.offset[0]), f0 = hn::Set(d, scale.factor[0]);
  const auto o1 = hn::Set(d, scale.offset[1]), f1 = hn::Set(d, scale.factor[1]);
  const auto o2 = hn::Set(d, scale.offset[2]), f2 = hn::Set(d, scale.factor[2]);
  const auto o3 = hn::Set(d, scale.offset[3]), f3 = hn::Set(d, scale.factor[3]);
  const auto convert = [&](const std::uint8_t* from, T* to, std::size_t step) HWY_ATTR {
    hn::Vec<DByte> a, b, c, e;
    if constexpr (channels == 1) {
      a = hn::LoadU(d8, from);
    } else if constexpr (channels == 2) {
      hn::LoadInterleaved2(d8, from, a, b);
    } else if constexpr (channels == 3) {
      hn::LoadInterleaved3(d8, from, a, b, c);
    } else {
      hn::LoadInterleaved4(d8, from, a, b, c, e);
    }
    store(normalized(a, o0, f0), to);
    if constexpr (channels > 1) store(normalized(b, o1, f1), to + step);
    if constexpr (channels > 2) store(normalized(c, o2, f2), to + 2 * step);
    if constexpr (channels > 3) store(normalized(e, o3, f3), to + 3 * step);
  };
  std::size_t x = 0;
  for (; x + lanes <= width; x += lanes) convert(row + x * channels, out + x, plane);
  if (x == width) return;
  std::uint8_t last[4 * kMostLanes] = {};
  T rest[4 * kMostLanes];
  std::memcpy(last, row + x * channels, (width - x) * channels);
  convert(last, rest, lanes);
  for (std::size_t c = 0; c < channels; ++c) {
    std::copy_n(rest + c * lanes, width - x, out + c * plane + x);
  }
}

// Channels repeat with a period that no vector need have, so the scales are laid out as the pixels
// are: `channels` vectors of them.
template <class T>
HWY_INLINE void interleaved(const std::uint8_t* HWY_RESTRICT row, std::size_t width,
                            std::size_t channels, const ChannelScale& scale, T* HWY_RESTRICT out) {
  const DFloat d;
  const DByte d8;
  const std::size_t lanes = hn::Lanes(d);
  float offsets[4 * kMostLanes];
  float factors[4 * kMostLanes];
  for (std::size_t i = 0; i < channels * lanes; ++i) {
    offsets[i] = scale.offset[i % channels];
    factors[i] = scale.factor[i % channels];
  }
  const auto convert = [&](const std::uint8_t* from, T* to) HWY_ATTR {
    for (std::size_t i = 0; i < channels * lanes; i += lanes) {
      store(
          normalized(hn::LoadU(d8, from + i), hn::LoadU(d, offsets + i), hn::LoadU(d, factors + i)),
          to + i);
    }
  };
  std::size_t x = 0;
  for (; x + lanes <= width; x += lanes) convert(row + x * channels, out + x * channels);
  if (x == width) return;
  std::uint8_t last[4 * kMostLanes] = {};
  T rest[4 * kMostLanes];
  std::memcpy(last, row + x * channels, (width - x) * channels);
  convert(last, rest);
  std::copy_n(rest, (width - x) * channels, out + x * channels);
}

template <class T>
HWY_INLINE void to_planes_of(const std::uint8_t* row, int width, int channels,
                             const ChannelScale& scale, T* out, std::size_t plane) {
  const std::size_t w = static_cast<std::size_t>(width);
  switch (channels) {
    case 1:
      return to_planes<1>(row, w, scale, out, plane);
    case 2:
      return to_planes<2>(row, w, scale, out, plane);
    case 3:
      return to_planes<3>(row, w, scale, out, plane);
    default:
      return to_planes<4>(row, w, scale, out, plane);
  }
}

void FloatToPlanes(const std::uint8_t* row, int width, int channels, const ChannelScale& scale,
                   float* out, std::size_t plane) {
  to_planes_of(row, width, channels, scale, out, plane);
}
void HalfToPlanes(const std::uint8_t* row, int width, int channels, const ChannelScale& scale,
                  Half* out, std::size_t plane) {
  to_planes_of(row, width, channels, scale, out, plane);
}
void FloatInterleaved(const std::uint8_t* row, int width, int channels, const ChannelScale& scale,
                      float* out) {
  interleaved(row, static_cast<std::size_t>(width), static_cast<std::size_t>(channels), scale, out);
}
void HalfInterleaved(const std::uint8_t* row, int width, int channels, const ChannelScale& scale,
                     Half* out) {
  interleaved(row, static_cast<std::size_t>(width), static_cast<std::size_t>(channels), scale, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(FloatToPlanes);
HWY_EXPORT(HalfToPlanes);
HWY_EXPORT(FloatInterleaved);
HWY_EXPORT(HalfInterleaved);

template <>
void normalize_to_planes(const std::uint8_t* row, int width, int channels,
                         const ChannelScale& scale, float* out, std::size_t plane) {
  HWY_DYNAMIC_DISPATCH(FloatToPlanes)(row, width, channels, scale, out, plane);
}
template <>
void normalize_to_planes(const std::uint8_t* row, int width, int channels,
                         const ChannelScale& scale, Half* out, std::size_t plane) {
  HWY_DYNAMIC_DISPATCH(HalfToPlanes)(row, width, channels, scale, out, plane);
}
template <>
void normalize_interleaved(const std::uint8_t* row, int width, int channels,
                           const ChannelScale& scale, float* out) {
  HWY_DYNAMIC_DISPATCH(FloatInterleaved)(row, width, channels, scale, out);
}
template <>
void normalize_interleaved(const std::uint8_t* row, int width, int channels,
                           const ChannelScale& scale, Half* out) {
  HWY_DYNAMIC_DISPATCH(HalfInterleaved)(row, width, channels, scale, out);
}

}  // namespace sluice::kernels
#endif
