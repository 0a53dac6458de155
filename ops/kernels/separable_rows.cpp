#include <sluice/ops/kernels/separable_rows.h>

#include <cstring>

// Scalable vector extensions order the results of narrowing differently, so use the fixed-size
// instructions there.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/separable_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

// Computes one value of a weighted sum. `pair` returns the sum of the two values at a distance from
// the center, and the center itself for 0.
template <class Pair>
std::int32_t weigh_one(const SideWeights& side, int shift, Pair pair) {
  std::int32_t sum = 1 << (shift - 1);
  for (int k = 0; k < side.count; ++k) sum += pair(k) * side.weights[k];
  return sum >> shift;
}

void weigh_rows_plainly(const std::uint8_t* const* above, const std::uint8_t* const* below,
                        const SideWeights& side, std::size_t begin, std::size_t end,
                        std::int16_t* out) {
  for (std::size_t i = begin; i < end; ++i) {
    out[i] = static_cast<std::int16_t>(weigh_one(side, side.bits - kLevelBits, [&](int k) -> int {
      return k == 0 ? above[0][i] : above[k][i] + below[k][i];
    }));
  }
}

void weigh_neighbours_plainly(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
                              std::size_t begin, std::size_t end, std::uint8_t* out) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::int16_t* at = in + i;
    out[i] = static_cast<std::uint8_t>(weigh_one(side, side.bits + kLevelBits, [&](int k) -> int {
      return k == 0 ? at[0] : at[-k * step] + at[k * step];
    }));
  }
}

#if HWY_TARGET == HWY_SCALAR

void WeighRows(const std::uint8_t* const* above, const std::uint8_t* const* below,
               const SideWeights& side, std::size_t size, std::int16_t* out) {
  weigh_rows_plainly(above, below, side, 0, size, out);
}

void WeighNeighbours(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
                     std::size_t size, std::uint8_t* out) {
  weigh_neighbours_plainly(in, step, side, 0, size, out);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

// The weighted sums of one vector of values.
struct Sums {
  V32 lower, lower_rest, upper, upper_rest;
};

HWY_INLINE Sums start(int shift) {
  const D32 d32;
  const V32 half = hn::Set(d32, 1 << (shift - 1));
  const V32 zero = hn::Zero(d32);
  return {half, zero, half, zero};
}

// Adds a and b, weighted by the two weights that alternate in `weights`.
HWY_INLINE void add_pair(V16 a, V16 b, V16 weights, Sums& sums) {
  const D16 d16;
  const D32 d32;
  sums.lower = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, a, b), weights,
                                             sums.lower, sums.lower_rest);
  sums.upper = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, a, b), weights,
                                             sums.upper, sums.upper_rest);
}

// Interleaving and narrowing both work on blocks of 16 bytes, so the order is restored.
HWY_INLINE V16 finish(const Sums& sums, int shift) {
  const V32 lower = hn::RearrangeToOddPlusEven(sums.lower, sums.lower_rest);
  const V32 upper = hn::RearrangeToOddPlusEven(sums.upper, sums.upper_rest);
  return hn::ReorderDemote2To(D16(), hn::ShiftRightSame(lower, shift),
                              hn::ShiftRightSame(upper, shift));
}

HWY_INLINE V16 two_weights(const std::int16_t* weights) {
  std::int32_t two;
  std::memcpy(&two, weights, sizeof(two));
  return hn::BitCast(D16(), hn::Set(D32(), two));
}

void WeighRows(const std::uint8_t* const* HWY_RESTRICT above,
               const std::uint8_t* const* HWY_RESTRICT below, const SideWeights& side,
               std::size_t size, std::int16_t* HWY_RESTRICT out) {
  const D16 d16;
  const hn::Rebind<std::uint8_t, D16> d8;
  const std::size_t lanes = hn::Lanes(d16);
  const int shift = side.bits - kLevelBits;
  const int count = side.count;
  const std::int16_t* weights = side.weights;
  if (size < lanes) return weigh_rows_plainly(above, below, side, 0, size, out);

  const auto load = [&](const std::uint8_t* from)
                        HWY_ATTR { return hn::PromoteTo(d16, hn::LoadU(d8, from)); };
  const auto two_sides = [&](int k, std::size_t at)
                             HWY_ATTR { return hn::Add(load(above[k] + at), load(below[k] + at)); };
  const auto weigh = [&](std::size_t at) HWY_ATTR {
    Sums sums = start(shift);
    add_pair(load(above[0] + at), two_sides(1, at), two_weights(weights), sums);
    for (int k = 2; k < count; k += 2)
      add_pair(two_sides(k, at), two_sides(k + 1, at), two_weights(weights + k), sums);
    hn::StoreU(finish(sums, shift), d16, out + at);
  };
  const auto weigh_two = [&](std::size_t at) HWY_ATTR {
    Sums first = start(shift);
    Sums second = start(shift);
    const std::size_t next = at + lanes;
    const V16 centre = two_weights(weights);
    add_pair(load(above[0] + at), two_sides(1, at), centre, first);
    add_pair(load(above[0] + next), two_sides(1, next), centre, second);
    for (int k = 2; k < count; k += 2) {
      const V16 two = two_weights(weights + k);
      add_pair(two_sides(k, at), two_sides(k + 1, at), two, first);
      add_pair(two_sides(k, next), two_sides(k + 1, next), two, second);
    }
    hn::StoreU(finish(first, shift), d16, out + at);
    hn::StoreU(finish(second, shift), d16, out + next);
  };
  std::size_t at = 0;
  for (; at + 2 * lanes <= size; at += 2 * lanes) weigh_two(at);
  for (; at + lanes <= size; at += lanes) weigh(at);
  if (at < size) weigh(size - lanes);
}

void WeighNeighbours(const std::int16_t* HWY_RESTRICT in, std::ptrdiff_t step,
                     const SideWeights& side, std::size_t size, std::uint8_t* HWY_RESTRICT out) {
  const D16 d16;
  const hn::Rebind<std::uint8_t, D16> d8;
  const std::size_t lanes = hn::Lanes(d16);
  const int shift = side.bits + kLevelBits;
  const int count = side.count;
  const std::int16_t* weights = side.weights;
  if (size < lanes) return weigh_neighbours_plainly(in, step, side, 0, size, out);

  const auto weigh = [&](std::size_t place) HWY_ATTR {
    const std::int16_t* at = in + place;
    const auto two_sides = [&](int k) HWY_ATTR {
      return hn::Add(hn::LoadU(d16, at - k * step), hn::LoadU(d16, at + k * step));
    };
    Sums sums = start(shift);
    add_pair(hn::LoadU(d16, at), two_sides(1), two_weights(weights), sums);
    for (int k = 2; k < count; k += 2)
      add_pair(two_sides(k), two_sides(k + 1), two_weights(weights + k), sums);
    hn::StoreU(hn::DemoteTo(d8, finish(sums, shift)), d8, out + place);
  };
  for (std::size_t at = 0; at + lanes <= size; at += lanes) weigh(at);
  if (size % lanes != 0) weigh(size - lanes);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(WeighRows);
HWY_EXPORT(WeighNeighbours);

void weigh_rows(const std::uint8_t* const* above, const std::uint8_t* const* below,
                const SideWeights& side, std::size_t size, std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(WeighRows)(above, below, side, size, out);
}

void weigh_neighbours(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
                      std::size_t size, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(WeighNeighbours)(in, step, side, size, out);
}

}  // namespace sluice::kernels
#endif
