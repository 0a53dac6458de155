// Pixels of 3 or 4 channels in SIMD vectors: each block of 16 bytes begins with four pixels, so
// that one shuffle extracts a channel. Internal to kernels, which include this file once per
// instruction set; not for vectors whose length is unknown at compile time.
#if defined(SLUICE_OPS_KERNELS_PIXEL_BLOCKS_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_OPS_KERNELS_PIXEL_BLOCKS_H
#undef SLUICE_OPS_KERNELS_PIXEL_BLOCKS_H
#else
#define SLUICE_OPS_KERNELS_PIXEL_BLOCKS_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace blocks {
namespace hn = hwy::HWY_NAMESPACE;

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
HWY_INLINE hn::Vec<D> whole_parts(D ints, V numbers) {
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
HWY_INLINE hn::Vec<D> packed(D bytes, V a, V b, V c, V d) {
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
}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#endif
