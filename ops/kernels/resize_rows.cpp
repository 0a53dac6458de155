#include <sluice/ops/kernels/resizer.h>

#include <algorithm>
#include <cstring>

// Scalable vector extensions order the results of narrowing differently, so use the fixed-size
// instructions there.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/resize_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint8_t rounded(std::int32_t sum, int shift) {
  return static_cast<std::uint8_t>(std::clamp(sum >> shift, 0, 255));
}

// Computes one byte of a vertical blend.
std::uint8_t blend_byte(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                        int shift, std::size_t at) {
  std::int32_t sum = 1 << (shift - 1);
  for (int k = 0; k < count; ++k) sum += rows[k][at] * weights[k];
  return rounded(sum, shift);
}

#if HWY_TARGET == HWY_SCALAR

void blend_row(const std::uint8_t* in, const HorizontalTable& table, std::uint8_t* out) {
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

void BlendHorizontally(const std::uint8_t* const* in, int rows, const HorizontalTable& table,
                       std::uint8_t* const* out) {
  for (int r = 0; r < rows; ++r) blend_row(in[r], table, out[r]);
}

void BlendVertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                     int shift, std::size_t bytes, std::uint8_t* out) {
  for (std::size_t at = 0; at < bytes; ++at) out[at] = blend_byte(rows, weights, count, shift, at);
}

#else

// sum[i] + a[2i] * b[2i] + a[2i+1] * b[2i+1]. On ARM, products[i] is not yet the sum for i, so
// `sum` is added at the end.
template <class V16, class V32>
HWY_INLINE V32 add_products_of_pairs(V16 a, V16 b, V32 sum) {
  const hn::DFromV<V32> d32;
  V32 rest = hn::Zero(d32);
  const V32 products = hn::ReorderWidenMulAccumulate(d32, a, b, hn::Zero(d32), rest);
  return hn::Add(sum, hn::RearrangeToOddPlusEven(products, rest));
}

// Each 16-byte block of a vector belongs to another row.
using DRows = hn::CappedTag<std::uint8_t, kRowsAtOnce * 16>;
constexpr std::size_t kRows = hn::MaxLanes(DRows()) / 16;

// Loads 16 bytes of each row, from `at` on.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const std::uint8_t* const* rows, std::ptrdiff_t at) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return hn::LoadU(d, rows[0] + at);
  } else {
    const hn::Half<D> half;
    const auto lower = load_blocks(half, rows, at);
    return hn::Combine(d, load_blocks(half, rows + hn::MaxLanes(half) / 16, at), lower);
  }
}

// Stores 16 bytes of each row.
template <class D>
HWY_INLINE void store_blocks(D d, hn::Vec<D> blocks, std::uint8_t* const* rows, std::size_t at) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    hn::StoreU(blocks, d, rows[0] + at);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, blocks), rows, at);
    store_blocks(half, hn::UpperHalf(half, blocks), rows + hn::MaxLanes(half) / 16, at);
  }
}

// The maximum number of taps per pixel in a table.
enum class Taps { two, four, many };

// Blends kRows rows, which may repeat.
template <Taps taps>
HWY_INLINE void blend_rows(const std::uint8_t* const* in, const HorizontalTable& table,
                           std::uint8_t* const* out) {
  const DRows d8;
  const hn::Repartition<std::int16_t, DRows> d16;
  const hn::Repartition<std::int32_t, DRows> d32;
  const std::size_t channels = static_cast<std::size_t>(table.channels());
  const std::size_t width = static_cast<std::size_t>(table.width());
  const std::ptrdiff_t step_bytes = std::ptrdiff_t{HorizontalTable::kTaps} * table.channels();
  const int shift = table.shift(), steps = taps == Taps::many ? table.steps() : 1;
  const int* HWY_RESTRICT offsets = table.offsets();
  const std::int16_t* HWY_RESTRICT all_weights = table.weights();
  const std::size_t weights_of_step = table.weights_of_step();
  const Shuffles& shuffles = kShuffles[channels - 1];
  const auto first_pair = hn::LoadDup128(d8, shuffles.pairs[0]);
  const auto second_pair = hn::LoadDup128(d8, shuffles.pairs[1]);
  const auto packed = hn::LoadDup128(d8, shuffles.packed);
  const auto half = hn::Set(d32, 1 << (shift - 1));
  const std::uint8_t* from[kRows];
  std::uint8_t* to[kRows];
  std::copy_n(in, kRows, from);
  std::copy_n(out, kRows, to);

  // Returns the channels of pixel i, in four 32-bit lanes.
  const auto blend = [&](std::size_t i) HWY_ATTR {
    const std::int16_t* HWY_RESTRICT weights = all_weights + i * HorizontalTable::kTaps;
    std::ptrdiff_t at = offsets[i];
    auto sum = half;
    for (int step = 0; step < steps; ++step) {
      const auto add_pair = [&](auto bytes, auto shuffle, int tap) HWY_ATTR {
        std::int32_t two;
        std::memcpy(&two, weights + tap, sizeof(two));
        sum = add_products_of_pairs(hn::BitCast(d16, hn::TableLookupBytesOr0(bytes, shuffle)),
                                    hn::BitCast(d16, hn::Set(d32, two)), sum);
      };
      const auto bytes = load_blocks(d8, from, at);
      add_pair(bytes, first_pair, 0);
      if constexpr (taps != Taps::two) add_pair(bytes, second_pair, 2);
      at += step_bytes;
      weights += weights_of_step;
    }
    return hn::ShiftRightSame(sum, shift);
  };
  // Returns pixels i and i + 1, clipped to 8 bits.
  const auto blend_two = [&](std::size_t i) HWY_ATTR {
    const auto levels = hn::ReorderDemote2To(d16, blend(i), blend(i + 1));
    return hn::Min(hn::Max(levels, hn::Zero(d16)), hn::Set(d16, 255));
  };
  for (std::size_t i = 0; i < width; i += HorizontalTable::kPixelsAtOnce) {
    const auto levels = hn::Or(blend_two(i), hn::ShiftLeft<8>(blend_two(i + 2)));
    store_blocks(d8, hn::TableLookupBytesOr0(hn::BitCast(d8, levels), packed), to, i * channels);
  }
}

void BlendHorizontally(const std::uint8_t* const* in, int rows, const HorizontalTable& table,
                       std::uint8_t* const* out) {
  for (int first = 0; first < rows; first += static_cast<int>(kRows)) {
    // The last row is repeated to fill the vector.
    const std::uint8_t* from[kRows];
    std::uint8_t* to[kRows];
    for (std::size_t b = 0; b < kRows; ++b) {
      const int row = std::min(first + static_cast<int>(b), rows - 1);
      from[b] = in[row];
      to[b] = out[row];
    }
    if (table.two_taps()) {
      blend_rows<Taps::two>(from, table, to);
    } else if (table.steps() == 1) {
      blend_rows<Taps::four>(from, table, to);
    } else {
      blend_rows<Taps::many>(from, table, to);
    }
  }
}

// Calls blend(at) for all bytes, `lanes` at a time; the last ones may be computed twice. Returns
// false if there are fewer than `lanes`.
template <class F>
HWY_INLINE bool for_all(std::size_t bytes, std::size_t lanes, const F& blend) {
  if (bytes < lanes) return false;
  for (std::size_t at = 0; at + lanes <= bytes; at += lanes) blend(at);
  if (bytes % lanes != 0) blend(bytes - lanes);
  return true;
}

// Blends two rows with nonnegative weights: b + (a - b) * weight. MulFixedPoint15 rounds in the
// same way as adding 2^(shift - 1) before the shift.
bool blend_two_rows(const std::uint8_t* HWY_RESTRICT a, const std::uint8_t* HWY_RESTRICT b,
                    std::int16_t weight, int shift, std::size_t bytes,
                    std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint8_t> d8;
  const hn::Repartition<std::uint16_t, decltype(d8)> du16;
  const hn::Repartition<std::int16_t, decltype(d8)> d16;
  const auto weights = hn::Set(d16, weight);
  const auto lower_bytes = hn::Set(du16, 0xff);
  const int spare = 15 - shift;
  return for_all(bytes, hn::Lanes(d8), [&](std::size_t at) HWY_ATTR {
    const auto upper = hn::BitCast(du16, hn::LoadU(d8, a + at));
    const auto lower = hn::BitCast(du16, hn::LoadU(d8, b + at));
    const auto blend = [&](auto of_a, auto of_b) HWY_ATTR {
      const auto base = hn::BitCast(d16, of_b);
      const auto difference = hn::Sub(hn::BitCast(d16, of_a), base);
      return hn::Add(base, hn::MulFixedPoint15(hn::ShiftLeftSame(difference, spare), weights));
    };
    const auto even = blend(hn::And(upper, lower_bytes), hn::And(lower, lower_bytes));
    const auto odd = blend(hn::ShiftRight<8>(upper), hn::ShiftRight<8>(lower));
    hn::StoreU(hn::BitCast(d8, hn::Or(even, hn::ShiftLeft<8>(odd))), d8, out + at);
  });
}

bool blend_many_rows(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                     int shift, std::size_t bytes, std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const auto half = hn::Set(d32, 1 << (shift - 1));
  return for_all(bytes, hn::Lanes(d16), [&](std::size_t at) HWY_ATTR {
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
  });
}

void BlendVertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                     int shift, std::size_t bytes, std::uint8_t* HWY_RESTRICT out) {
  const bool two = count == 2 && weights[0] >= 0 && weights[1] >= 0 && shift <= 15;
  if (two ? blend_two_rows(rows[0], rows[1], weights[0], shift, bytes, out)
          : blend_many_rows(rows, weights, count, shift, bytes, out)) {
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

void HorizontalTable::build(const ResizeTable& table, bool changed, int first, int width, int left,
                            int channels) {
  if (!changed && first == first_ && width == width_ && left == left_ && channels == channels_) {
    return;
  }
  width_ = 0;
  constexpr std::size_t kMore = kPixelsAtOnce - 1;
  const std::size_t pixels = static_cast<std::size_t>(width);
  const auto grow = [](auto& vector, std::size_t size) {
    if (vector.size() < size) vector.resize(size);
  };
  first_ = first;
  left_ = left;
  channels_ = channels;
  steps_ = table.taps() / kTaps;
  shift_ = table.shift();
  two_taps_ = steps_ == 1;
  weights_of_step_ = (pixels + kMore) * kTaps;
  grow(offsets_, pixels + kMore);
  grow(weights_, weights_of_step_ * static_cast<std::size_t>(steps_));
  for (std::size_t i = 0; i < pixels; ++i) {
    const int entry = first + static_cast<int>(i);
    offsets_[i] = (left + table.start(entry)) * channels;
    two_taps_ = two_taps_ && table.count(entry) <= 2;
    for (std::size_t step = 0; step < static_cast<std::size_t>(steps_); ++step) {
      std::memcpy(weights_.data() + step * weights_of_step_ + i * kTaps,
                  table.weights(entry) + step * kTaps, kTaps * sizeof(std::int16_t));
    }
  }
  // These pixels are computed but not used.
  std::fill_n(offsets_.data() + pixels, kMore, offsets_[pixels - 1]);
  width_ = width;
}

void blend_horizontally(const std::uint8_t* const* in, int rows, const HorizontalTable& table,
                        std::uint8_t* const* out) {
  HWY_DYNAMIC_DISPATCH(BlendHorizontally)(in, rows, table, out);
}

void blend_vertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                      int shift, std::size_t bytes, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendVertically)(rows, weights, count, shift, bytes, out);
}

}  // namespace sluice::kernels
#endif
