// Compiled without contraction to fused multiply-add (CMakeLists.txt): not all instruction sets
// have it, and all must produce the same bytes.
#include <sluice/ops/kernels/normalize.h>

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
using DSignedByte = hn::Rebind<std::int8_t, DFloat>;
using Floats = hn::Vec<DFloat>;

// The number of floats in a vector is at most this.
constexpr std::size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

template <class V>
HWY_INLINE void store(V values, float* out) {
  hn::StoreU(values, DFloat(), out);
}

template <class V>
HWY_INLINE void store(V values, Half* out) {
// Only these targets convert in hardware, and so round like Half.
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

// Rounds as BFloat16::from_bits() does. The values are finite.
template <class V>
HWY_INLINE void store(V values, BFloat16* out) {
  const hn::RebindToUnsigned<DFloat> d32;
  const hn::Rebind<std::uint16_t, DFloat> d16;
  const auto bits = hn::BitCast(d32, values);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(d32, 0x7fff)), odd));
  hn::StoreU(hn::TruncateTo(d16, rounded), d16, reinterpret_cast<std::uint16_t*>(out));
}

HWY_INLINE auto nearest(Floats values, float low, float high) {
  const DFloat d;
  return hn::NearestInt(hn::Min(hn::Max(values, hn::Set(d, low)), hn::Set(d, high)));
}

HWY_INLINE void store(Floats values, std::uint8_t* out) {
  hn::StoreU(hn::DemoteTo(DByte(), nearest(values, 0.f, 255.f)), DByte(), out);
}

HWY_INLINE void store(Floats values, std::int8_t* out) {
  hn::StoreU(hn::DemoteTo(DSignedByte(), nearest(values, -128.f, 127.f)), DSignedByte(), out);
}

template <class V>
HWY_INLINE Floats normalized(V bytes, Floats offset, Floats factor, Floats shift) {
  const DFloat d;
  const auto x = hn::ConvertTo(d, hn::PromoteTo(hn::Rebind<std::int32_t, DFloat>(), bytes));
  return hn::Add(hn::Mul(hn::Sub(x, offset), factor), shift);
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
  const auto shift = hn::Set(d, scale.shift);
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
    store(normalized(a, o0, f0, shift), to);
    if constexpr (channels > 1) store(normalized(b, o1, f1, shift), to + step);
    if constexpr (channels > 2) store(normalized(c, o2, f2, shift), to + 2 * step);
    if constexpr (channels > 3) store(normalized(e, o3, f3, shift), to + 3 * step);
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

// The period of the channels need not divide the vector length. So the scales are laid out like the
// pixels: `channels` vectors of them.
template <class T>
HWY_INLINE void interleaved(const std::uint8_t* HWY_RESTRICT row, std::size_t width,
                            std::size_t channels, const ChannelScale& scale, bool padded,
                            T* HWY_RESTRICT out) {
  const DFloat d;
  const DByte d8;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t out_channels = padded ? channels + 1 : channels;
  float offsets[4 * kMostLanes];
  float factors[4 * kMostLanes];
  float shifts[4 * kMostLanes];
  for (std::size_t i = 0; i < out_channels * lanes; ++i) {
    const std::size_t c = i % out_channels;
    // The added channel, whose values are 0, gets zeros.
    offsets[i] = c < channels ? scale.offset[c] : 0.f;
    factors[i] = c < channels ? scale.factor[c] : 0.f;
    shifts[i] = c < channels ? scale.shift : 0.f;
  }
  std::uint8_t with_fourth[4 * kMostLanes];
  const auto convert = [&](const std::uint8_t* from, T* to) HWY_ATTR {
    if (padded) {
      hn::Vec<DByte> a, b, c;
      hn::LoadInterleaved3(d8, from, a, b, c);
      hn::StoreInterleaved4(a, b, c, hn::Zero(d8), d8, with_fourth);
      from = with_fourth;
    }
    for (std::size_t i = 0; i < out_channels * lanes; i += lanes) {
      store(normalized(hn::LoadU(d8, from + i), hn::LoadU(d, offsets + i),
                       hn::LoadU(d, factors + i), hn::LoadU(d, shifts + i)),
            to + i);
    }
  };
  std::size_t x = 0;
  for (; x + lanes <= width; x += lanes) convert(row + x * channels, out + x * out_channels);
  if (x == width) return;
  std::uint8_t last[4 * kMostLanes] = {};
  T rest[4 * kMostLanes];
  std::memcpy(last, row + x * channels, (width - x) * channels);
  convert(last, rest);
  std::copy_n(rest, (width - x) * out_channels, out + x * out_channels);
}

template <class T>
HWY_INLINE void to_planes_of(const std::uint8_t* row, std::size_t width, int channels,
                             const ChannelScale& scale, T* out, std::size_t plane) {
  switch (channels) {
    case 1:
      return to_planes<1>(row, width, scale, out, plane);
    case 2:
      return to_planes<2>(row, width, scale, out, plane);
    case 3:
      return to_planes<3>(row, width, scale, out, plane);
    default:
      return to_planes<4>(row, width, scale, out, plane);
  }
}

// Calls body with `out` as a pointer to numbers of the type.
template <class F>
HWY_INLINE void with_type(DType dtype, std::byte* out, const F& body) {
  switch (dtype) {
    case DType::u8:
      return body(reinterpret_cast<std::uint8_t*>(out));
    case DType::i8:
      return body(reinterpret_cast<std::int8_t*>(out));
    case DType::f16:
      return body(reinterpret_cast<Half*>(out));
    case DType::bf16:
      return body(reinterpret_cast<BFloat16*>(out));
    default:
      return body(reinterpret_cast<float*>(out));
  }
}

void ToPlanes(const std::uint8_t* row, int width, int channels, const ChannelScale& scale,
              DType dtype, std::byte* out, std::size_t plane) {
  with_type(dtype, out, [&](auto* to) HWY_ATTR {
    to_planes_of(row, static_cast<std::size_t>(width), channels, scale, to, plane);
  });
}

void Interleaved(const std::uint8_t* row, int width, int channels, const ChannelScale& scale,
                 bool padded, DType dtype, std::byte* out) {
  with_type(dtype, out, [&](auto* to) HWY_ATTR {
    interleaved(row, static_cast<std::size_t>(width), static_cast<std::size_t>(channels), scale,
                padded, to);
  });
}

using D = hn::ScalableTag<float>;

HWY_INLINE void store_rounded(hn::Vec<D> numbers, std::uint8_t* levels) {
  const D d;
  const hn::Rebind<std::int32_t, D> d32;
  const hn::Rebind<std::uint8_t, D> d8;
  // NaN becomes 0.
  const auto positive = hn::IfThenElseZero(hn::Gt(numbers, hn::Zero(d)), numbers);
  const auto bounded = hn::Min(positive, hn::Set(d, 255.f));
  // Adding a half would round up numbers just below one half.
  const auto below = hn::Floor(bounded);
  const auto is_upper = hn::Ge(hn::Sub(bounded, below), hn::Set(d, 0.5f));
  const auto rounded = hn::Add(below, hn::IfThenElseZero(is_upper, hn::Set(d, 1.f)));
  hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, rounded)), d8, levels);
}

void RoundedLevels(const float* numbers, std::size_t count, std::uint8_t* levels) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store_rounded(hn::LoadU(d, numbers + i), levels + i);
  if (i == count) return;
  HWY_ALIGN float last[hn::MaxLanes(D())] = {};
  HWY_ALIGN std::uint8_t rounded[hn::MaxLanes(D())];
  std::copy(numbers + i, numbers + count, last);
  store_rounded(hn::Load(d, last), rounded);
  std::copy_n(rounded, count - i, levels + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(ToPlanes);
HWY_EXPORT(Interleaved);
HWY_EXPORT(RoundedLevels);

void normalize_to_planes(const std::uint8_t* row, int width, int channels,
                         const ChannelScale& scale, DType dtype, std::byte* out,
                         std::size_t plane) {
  HWY_DYNAMIC_DISPATCH(ToPlanes)(row, width, channels, scale, dtype, out, plane);
}

void normalize_interleaved(const std::uint8_t* row, int width, int channels,
                           const ChannelScale& scale, bool padded, DType dtype, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(Interleaved)(row, width, channels, scale, padded, dtype, out);
}

void rounded_levels(const float* numbers, std::size_t count, std::uint8_t* levels) {
  HWY_DYNAMIC_DISPATCH(RoundedLevels)(numbers, count, levels);
}

}  // namespace sluice::kernels
#endif
