#include <sluice/ops/kernels/resize_rows.h>

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

void BlendHorizontally(const std::uint8_t* in, int channels, const int* starts,
                       const std::int16_t* weights, int taps, int shift, int width,
                       std::uint8_t* out) {
  for (int i = 0; i < width; ++i, weights += taps) {
    const std::uint8_t* pixels = in + static_cast<std::ptrdiff_t>(starts[i]) * channels;
    for (int c = 0; c < channels; ++c) {
      std::int32_t sum = 1 << (shift - 1);
      for (int k = 0; k < taps; ++k) sum += pixels[k * channels + c] * weights[k];
      *out++ = rounded(sum, shift);
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

// Two taps of one pixel as 16-bit pairs: byte `channel` of tap 2p in the even lanes, of tap 2p + 1
// in the odd ones; lanes of channels that do not exist become zero.
struct PairShuffle {
  alignas(16) std::uint8_t index[2][16];
  explicit PairShuffle(int channels) {
    for (int p = 0; p < 2; ++p) {
      for (int lane = 0; lane < 8; ++lane) {
        const int channel = lane / 2;
        const int tap = 2 * p + lane % 2;
        index[p][2 * lane] =
            static_cast<std::uint8_t>(channel < channels ? tap * channels + channel : 0x80);
        index[p][2 * lane + 1] = 0x80;
      }
    }
  }
};

void BlendHorizontally(const std::uint8_t* HWY_RESTRICT in, int channels, const int* starts,
                       const std::int16_t* HWY_RESTRICT weights, int taps, int shift, int width,
                       std::uint8_t* HWY_RESTRICT out) {
  const hn::FixedTag<std::uint8_t, 16> d8;
  const hn::FixedTag<std::int16_t, 8> d16;
  const hn::FixedTag<std::int32_t, 4> d32;
  const PairShuffle shuffle(channels);
  const auto first_pair = hn::Load(d8, shuffle.index[0]);
  const auto second_pair = hn::Load(d8, shuffle.index[1]);
  const auto half = hn::Set(d32, 1 << (shift - 1));
  const auto pair_of_weights = [&](const std::int16_t* w) {
    std::int32_t two;
    std::memcpy(&two, w, sizeof(two));
    return hn::BitCast(d16, hn::Set(d32, two));
  };
  for (int i = 0; i < width; ++i, weights += taps, out += channels) {
    const std::uint8_t* pixels = in + static_cast<std::ptrdiff_t>(starts[i]) * channels;
    auto even = half;
    auto odd = hn::Zero(d32);
    for (int k = 0; k < taps; k += 4, pixels += 4 * channels) {
      const auto bytes = hn::LoadU(d8, pixels);
      const auto a = hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, first_pair));
      const auto b = hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, second_pair));
      even = add_products_of_pairs(a, pair_of_weights(weights + k), even);
      odd = add_products_of_pairs(b, pair_of_weights(weights + k + 2), odd);
    }
    const auto sum = hn::ShiftRightSame(hn::Add(even, odd), shift);
    const hn::FixedTag<std::uint8_t, 4> d8x4;
    hn::StoreU(hn::DemoteTo(d8x4, sum), d8x4, out);
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

void blend_horizontally(const std::uint8_t* in, int channels, const ResizeTable& table, int first,
                        int width, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendHorizontally)
  (in, channels, table.starts() + first, table.weights(first), table.taps(), table.shift(), width,
   out);
}

void blend_vertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                      int shift, std::size_t bytes, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendVertically)(rows, weights, count, shift, bytes, out);
}

}  // namespace sluice::kernels
#endif
