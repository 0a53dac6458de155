#include <sluice/ops/kernels/resize_rows.h>
#include <sluice/ops/kernels/resize_shuffles.h>

#include <algorithm>
#include <cstring>

// The scalable vector extensions order the results of narrowing differently; there the fixed-size
// instructions serve.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/resize_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

std::uint8_t rounded(std::int32_t sum, int shift) {
  return static_cast<std::uint8_t>(std::clamp(sum >> shift, 0, 255));
}

// One byte of a vertical blend.
std::uint8_t blend_byte(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                        int shift, std::size_t at) {
  std::int32_t sum = 1 << (shift - 1);
  for (int k = 0; k < count; ++k) sum += rows[k][at] * weights[k];
  return rounded(sum, shift);
}

#if HWY_TARGET == HWY_SCALAR

void BlendHorizontally(const std::uint8_t* in, const HorizontalTable& table, std::uint8_t* out) {
  const int channels = table.channels();
  for (int i = 0; i < table.width(); ++i) {
    for (int c = 0; c < channels; ++c) {
      const std::uint8_t* pixels = in + table.offsets()[i] + c;
      const std::int16_t* weights = table.weights() + std::ptrdiff_t{i} * HorizontalTable::kTaps;
      std::int32_t sum = 1 << (table.shift() - 1);
      for (int step = 0; step < table.steps(); ++step, weights += table.weights_of_step()) {
        for (int k = 0; k < HorizontalTable::kTaps; ++k, pixels += channels)
          sum += *pixels * weights[k];
      }
      *out++ = rounded(sum, table.shift());
    }
  }
}

void BlendVertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                     int shift, std::size_t bytes, std::uint8_t* out) {
  for (std::size_t at = 0; at < bytes; ++at) out[at] = blend_byte(rows, weights, count, shift, at);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// sum[i] + a[2i] * b[2i] + a[2i+1] * b[2i+1]
template <class V16, class V32>
HWY_INLINE V32 add_products_of_pairs(V16 a, V16 b, V32 sum) {
  const hn::DFromV<V32> d32;
  V32 rest = hn::Zero(d32);
  sum = hn::ReorderWidenMulAccumulate(d32, a, b, sum, rest);
  return hn::RearrangeToOddPlusEven(sum, rest);
}

// Each block of 16 bytes of a vector makes a pixel.
using DBlocks = hn::CappedTag<std::uint8_t, HorizontalTable::kMostAtOnce * 16>;
constexpr std::size_t kBlocks = hn::MaxLanes(DBlocks()) / 16;

// 16 bytes from each of the addresses, which are `beyond` bytes further on.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const std::uint8_t* const* at, std::ptrdiff_t beyond) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return hn::LoadU(d, at[0] + beyond);
  } else {
    const hn::Half<D> half;
    const auto lower = load_blocks(half, at, beyond);
    return hn::Combine(d, load_blocks(half, at + hn::MaxLanes(half) / 16, beyond), lower);
  }
}

// Twice the four weights of one pixel in each block.
template <class D>
HWY_INLINE hn::Vec<D> load_weights(D d16, const std::int16_t* weights) {
  const hn::Repartition<std::uint64_t, D> d64;
  if constexpr (kBlocks == 1) {
    std::uint64_t four;
    std::memcpy(&four, weights, sizeof(four));
    return hn::BitCast(d16, hn::Set(d64, four));
  } else {
    alignas(64) static constexpr std::int64_t kTwice[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    const auto once = hn::ZeroExtendVector(d16, hn::LoadU(hn::Half<D>(), weights));
    return hn::BitCast(
        d16, hn::TableLookupLanes(hn::BitCast(d64, once), hn::SetTableIndices(d64, kTwice)));
  }
}

// A pixel of each block, side by side; 16 bytes are written.
template <class D>
HWY_INLINE void store_pixels(D d32, hn::Vec<D> sums, const std::uint8_t* packed,
                             std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, D> d8;
  const auto lanes = hn::DemoteTo(d8, sums);
  if constexpr (hn::MaxLanes(d32) == 4) {
    hn::StoreU(lanes, d8, out);
  } else {
    const hn::FixedTag<std::uint8_t, 16> d8x16;
    const auto index = hn::Load(d8x16, packed);
    if constexpr (hn::MaxLanes(d32) == 8) {
      hn::StoreU(hn::TableLookupBytesOr0(hn::ZeroExtendVector(d8x16, lanes), index), d8x16, out);
    } else {
      hn::StoreU(hn::TableLookupBytesOr0(lanes, index), d8x16, out);
    }
  }
}

void BlendHorizontally(const std::uint8_t* HWY_RESTRICT in, const HorizontalTable& table,
                       std::uint8_t* HWY_RESTRICT out) {
  const DBlocks d8;
  const hn::Repartition<std::int16_t, DBlocks> d16;
  const hn::Repartition<std::int32_t, DBlocks> d32;
  const std::size_t channels = static_cast<std::size_t>(table.channels());
  const std::size_t width = static_cast<std::size_t>(table.width());
  const std::ptrdiff_t step_bytes = std::ptrdiff_t{HorizontalTable::kTaps} * table.channels();
  const int shift = table.shift(), steps = table.steps();
  const int* HWY_RESTRICT offsets = table.offsets();
  const std::int16_t* HWY_RESTRICT all_weights = table.weights();
  const std::size_t weights_of_step = table.weights_of_step();
  const Shuffles& shuffles = kShuffles[channels - 1];
  const auto first_pair = hn::LoadDup128(d8, shuffles.pairs[0]);
  const auto second_pair = hn::LoadDup128(d8, shuffles.pairs[1]);
  const auto half = hn::Set(d32, 1 << (shift - 1));
  for (std::size_t i = 0; i < width; i += kBlocks, out += kBlocks * channels) {
    const std::uint8_t* pixels[kBlocks];
    for (std::size_t b = 0; b < kBlocks; ++b) pixels[b] = in + offsets[i + b];
    const std::int16_t* weights = all_weights + i * HorizontalTable::kTaps;
    auto even = half;
    auto odd = hn::Zero(d32);
    std::ptrdiff_t beyond = 0;
    for (int step = 0; step < steps; ++step) {
      const auto bytes = load_blocks(d8, pixels, beyond);
      const auto a = hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, first_pair));
      const auto b = hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, second_pair));
      const auto four = hn::BitCast(d32, load_weights(d16, weights));
      even = add_products_of_pairs(a, hn::BitCast(d16, hn::DupEven(four)), even);
      odd = add_products_of_pairs(b, hn::BitCast(d16, hn::DupOdd(four)), odd);
      beyond += step_bytes;
      weights += weights_of_step;
    }
    const auto sum = hn::ShiftRightSame(hn::Add(even, odd), shift);
    store_pixels(d32, sum, shuffles.packed, out);
  }
}

void BlendVertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                     int shift, std::size_t bytes, std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d16);
  const auto half = hn::Set(d32, 1 << (shift - 1));

  const auto blend = [&](std::size_t at) HWY_ATTR {
    auto lower = half;
    auto upper = half;
    for (int k = 0; k < count; k += 2) {
      const auto a = hn::PromoteTo(d16, hn::LoadU(d8, rows[k] + at));
      const auto b = hn::PromoteTo(d16, hn::LoadU(d8, rows[k + 1] + at));
      std::int32_t two;
      std::memcpy(&two, weights + k, sizeof(two));
      const auto w = hn::BitCast(d16, hn::Set(d32, two));
      lower = add_products_of_pairs(hn::InterleaveLower(d16, a, b), w, lower);
      upper = add_products_of_pairs(hn::InterleaveUpper(d16, a, b), w, upper);
    }
    // Interleaving and narrowing both work on blocks of 16 bytes, so the order is restored.
    const auto sums = hn::ReorderDemote2To(d16, hn::ShiftRightSame(lower, shift),
                                           hn::ShiftRightSame(upper, shift));
    hn::StoreU(hn::DemoteTo(d8, sums), d8, out + at);
  };

  if (bytes >= lanes) {
    for (std::size_t at = 0; at + lanes <= bytes; at += lanes) blend(at);
    if (bytes % lanes != 0) blend(bytes - lanes);
    return;
  }
  for (std::size_t at = 0; at < bytes; ++at) out[at] = blend_byte(rows, weights, count, shift, at);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(BlendHorizontally);
HWY_EXPORT(BlendVertically);

void HorizontalTable::build(const ResizeTable& table, int first, int width, int left,
                            int channels) {
  constexpr std::size_t kMore = kMostAtOnce - 1;
  const std::size_t pixels = static_cast<std::size_t>(width);
  const auto grow = [](auto& vector, std::size_t size) {
    if (vector.size() < size) vector.resize(size);
  };
  width_ = width;
  channels_ = channels;
  steps_ = table.taps() / kTaps;
  shift_ = table.shift();
  weights_of_step_ = (pixels + kMore) * kTaps;
  grow(offsets_, pixels + kMore);
  grow(weights_, weights_of_step_ * static_cast<std::size_t>(steps_));
  for (std::size_t i = 0; i < pixels; ++i) {
    const int entry = first + static_cast<int>(i);
    offsets_[i] = (left + table.start(entry)) * channels;
    for (std::size_t step = 0; step < static_cast<std::size_t>(steps_); ++step) {
      std::memcpy(weights_.data() + step * weights_of_step_ + i * kTaps,
                  table.weights(entry) + step * kTaps, kTaps * sizeof(std::int16_t));
    }
  }
  // What is made of these is not used.
  std::fill_n(offsets_.data() + pixels, kMore, offsets_[pixels - 1]);
}

void blend_horizontally(const std::uint8_t* in, const HorizontalTable& table, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendHorizontally)(in, table, out);
}

void blend_vertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                      int shift, std::size_t bytes, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendVertically)(rows, weights, count, shift, bytes, out);
}

}  // namespace sluice::kernels
#endif
