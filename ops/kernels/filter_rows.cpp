// Compiled without contraction to fused multiply-add (CMakeLists.txt), which not all instruction
// sets have.
#include <sluice/ops/kernels/filter.h>

#include <algorithm>

// The compiler must know the vector length, and vectors are stored in arrays, so use the fixed-size
// instructions instead of scalable ones.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/filter_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using Floats = hn::Vec<DFloat>;

void FloatsOfLevels(const std::uint8_t* HWY_RESTRICT levels, std::size_t size,
                    float* HWY_RESTRICT out) {
  const hn::Rebind<std::uint8_t, DFloat> d8;
  const DFloat d;
  std::size_t at = 0;
  for (; at + hn::Lanes(d) <= size; at += hn::Lanes(d)) {
    const auto whole = hn::PromoteTo(DInt(), hn::LoadU(d8, levels + at));
    hn::StoreU(hn::ConvertTo(d, whole), d, out + at);
  }
  for (; at < size; ++at) out[at] = levels[at];
}

void sum_plainly(std::span<const WeightedRow> rows, std::size_t begin, std::size_t end,
                 std::uint8_t* out) {
  for (std::size_t at = begin; at < end; ++at) {
    float sum = 0;
    for (const WeightedRow& row : rows) sum += row.weight * row.levels[at];
    out[at] = static_cast<std::uint8_t>(std::clamp(sum + 0.5f, 0.f, 255.f));
  }
}

#if HWY_TARGET == HWY_SCALAR

void SumWeightedRows(std::span<const WeightedRow> rows, std::size_t size, std::uint8_t* out) {
  sum_plainly(rows, 0, size, out);
}

#else

// Shuffles that pack four vectors of values into one vector of bytes. `bytes` orders the bytes in
// each block; `words` then orders the 32-bit words.
struct Order {
  alignas(16) std::uint8_t bytes[16];
  std::int32_t words[hn::MaxLanes(DFloat())];

  constexpr Order() : bytes(), words() {
    for (std::size_t i = 0; i < 16; ++i) bytes[i] = static_cast<std::uint8_t>(i % 4 * 4 + i / 4);
    const std::size_t blocks = hn::MaxLanes(DFloat()) / 4;
    for (std::size_t i = 0; i < 4 * blocks; ++i)
      words[i] = static_cast<std::int32_t>(i % blocks * 4 + i / blocks);
  }
};

// Rounds to nearest and clips to 8 bits.
HWY_INLINE Floats rounded(Floats sum) {
  const DFloat d;
  const auto half_more = hn::Add(sum, hn::Set(d, 0.5f));
  return hn::Floor(hn::Min(hn::Max(half_more, hn::Zero(d)), hn::Set(d, 255.f)));
}

// An integer added to 2^23 is in the lowest bits of the float, so no conversion is needed. A 16-bit
// integer holds two values.
HWY_INLINE void store_levels(Floats first, Floats second, Floats third, Floats fourth,
                             std::uint8_t* out) {
  static constexpr Order kOrder;
  const DFloat d;
  const DInt d32;
  const hn::Repartition<std::uint8_t, DFloat> d8;
  const hn::Repartition<std::uint16_t, DFloat> d16;
  const auto power = hn::Set(d, 8388608.f), shift = hn::Set(d, 256.f);
  const auto two = hn::MulAdd(rounded(second), shift, hn::Add(rounded(first), power));
  const auto others = hn::MulAdd(rounded(fourth), shift, hn::Add(rounded(third), power));
  const auto upper = hn::ShiftLeft<16>(hn::BitCast(d32, others));
  const auto four = hn::OddEven(hn::BitCast(d16, upper), hn::BitCast(d16, two));
  const auto blocks = hn::TableLookupBytes(hn::BitCast(d8, four), hn::LoadDup128(d8, kOrder.bytes));
  const auto in_order =
      hn::TableLookupLanes(hn::BitCast(d32, blocks), hn::SetTableIndices(d32, kOrder.words));
  hn::StoreU(hn::BitCast(d8, in_order), d8, out);
}

void SumWeightedRows(std::span<const WeightedRow> rows, std::size_t size,
                     std::uint8_t* HWY_RESTRICT out) {
  const DFloat d;
  constexpr std::size_t kLanes = hn::MaxLanes(d), kAtOnce = 4 * kLanes;
  if (size < kAtOnce) return sum_plainly(rows, 0, size, out);
  for (std::size_t begin = 0; begin < size; begin += kAtOnce) {
    const std::size_t at = std::min(begin, size - kAtOnce);
    // Four vectors, so that sums do not depend on each other.
    auto first = hn::Zero(d), second = first, third = first, fourth = first;
    for (const WeightedRow& row : rows) {
      const float* HWY_RESTRICT from = row.levels + at;
      const auto weight = hn::Set(d, row.weight);
      first = hn::Add(first, hn::Mul(weight, hn::LoadU(d, from)));
      second = hn::Add(second, hn::Mul(weight, hn::LoadU(d, from + kLanes)));
      third = hn::Add(third, hn::Mul(weight, hn::LoadU(d, from + 2 * kLanes)));
      fourth = hn::Add(fourth, hn::Mul(weight, hn::LoadU(d, from + 3 * kLanes)));
    }
    store_levels(first, second, third, fourth, out + at);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

template <class V>
HWY_INLINE void order(V& low, V& high) {
  const V smaller = hn::Min(low, high);
  high = hn::Max(low, high);
  low = smaller;
}

// Moves the smallest values of the count vectors to the first vector, the largest to the last.
template <int count, class V>
HWY_INLINE void move_extremes(V* v) {
  constexpr int kLast = count - 1;
  for (int i = 0; i < count / 2; ++i) order(v[i], v[kLast - i]);
  for (int i = 1; i <= kLast / 2; ++i) order(v[0], v[i]);
  for (int i = count / 2; i < kLast; ++i) order(v[i], v[kLast]);
}

// Returns the median of count vectors and of those that load(next), load(next + 1), ... return.
// Among half of all values plus one, the smallest and the largest cannot be the median. Another
// value replaces both, until three are left. (A recursion, so that the compiler knows each count.)
template <int count, class V, class Load>
HWY_INLINE V median_of(V* v, const Load& load, int next) {
  move_extremes<count>(v);
  if constexpr (count == 3) {
    return v[1];
  } else {
    v[0] = load(next);
    return median_of<count - 1>(v, load, next + 1);
  }
}

template <int window, class D>
HWY_INLINE void median_at(D d, const std::uint8_t* const* rows, std::ptrdiff_t step, std::size_t at,
                          std::uint8_t* out) {
  constexpr int kFirst = window * window / 2 + 2;
  const auto load = [&](int i) HWY_ATTR {
    return hn::LoadU(d, rows[i / window] + at + i % window * step);
  };
  hn::Vec<D> v[kFirst];
  for (int i = 0; i < kFirst; ++i) v[i] = load(i);
  hn::StoreU(median_of<kFirst>(v, load, kFirst), d, out + at);
}

template <int window>
HWY_INLINE void medians(const std::uint8_t* const* rows, std::ptrdiff_t step, std::size_t size,
                        std::uint8_t* out) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::FixedTag<std::uint8_t, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) median_at<window>(d, rows, step, at, out);
  if (at == size) return;
  if (size >= lanes) return median_at<window>(d, rows, step, size - lanes, out);
  for (; at < size; ++at) median_at<window>(one, rows, step, at, out);
}

void MedianRow(const std::uint8_t* const* rows, int window, std::ptrdiff_t step, std::size_t size,
               std::uint8_t* out) {
  return window == 3 ? medians<3>(rows, step, size, out) : medians<5>(rows, step, size, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(FloatsOfLevels);
HWY_EXPORT(SumWeightedRows);
HWY_EXPORT(MedianRow);

void floats_of_levels(const std::uint8_t* levels, std::size_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(FloatsOfLevels)(levels, size, out);
}
void sum_weighted_rows(std::span<const WeightedRow> rows, std::size_t size, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SumWeightedRows)(rows, size, out);
}

void median_row(const std::uint8_t* const* rows, int window, std::ptrdiff_t step, std::size_t size,
                std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(MedianRow)(rows, window, step, size, out);
}

}  // namespace sluice::kernels
#endif
