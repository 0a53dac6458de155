#include <sluice/ops/kernels/blur.h>

#include <algorithm>
#include <cstring>

// The compiler must know the vector length. Scalable vector extensions also order the results of
// narrowing differently, so use the fixed-size instructions there.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/blur_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::uint16_t>;
using D8 = hn::Rebind<std::uint8_t, D16>;
using D32 = hn::ScalableTag<std::uint32_t>;
using DFloat = hn::Rebind<float, D32>;
using DInt = hn::Rebind<std::int32_t, D32>;

// Calls one(at, to) for each vector of a row. The last vector may overlap the one before it. A row
// shorter than a vector goes through a buffer.
template <class D, class F>
HWY_INLINE void for_levels(D, std::size_t size, std::uint8_t* out, const F& one) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) one(at, out + at);
  if (at == size) return;
  if (size >= lanes) return one(size - lanes, out + (size - lanes));
  std::uint8_t levels[lanes];
  one(0, levels);
  std::copy_n(levels, size, out);
}

void MoveBox(const std::uint8_t* enters, const std::uint8_t* leaves, std::size_t size,
             std::uint16_t* HWY_RESTRICT sums) {
  const D16 d16;
  const D8 d8;
  const std::size_t lanes = hn::Lanes(d16);
  const auto load = [&](const std::uint8_t* row)
                        HWY_ATTR { return hn::PromoteTo(d16, hn::LoadU(d8, row)); };
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) {
    const auto sum = hn::Add(hn::LoadU(d16, sums + at), load(enters + at));
    hn::StoreU(leaves == nullptr ? sum : hn::Sub(sum, load(leaves + at)), d16, sums + at);
  }
  for (; at < size; ++at) {
    const int sum = sums[at] + enters[at] - (leaves == nullptr ? 0 : leaves[at]);
    sums[at] = static_cast<std::uint16_t>(sum);
  }
}

// For each x that a small box can have, x / area is x * factor / 65536 / 2^shift. `factor` is
// 2^(16 + shift) / area, rounded up. The rounding is too small to carry a quotient to the next
// whole number. (Granlund and Montgomery, Division by Invariant Integers.)
template <int window>
void small_boxes(const std::uint16_t* HWY_RESTRICT sums, std::ptrdiff_t step, std::size_t size,
                 std::uint8_t* HWY_RESTRICT out) {
  constexpr int area = window * window;
  constexpr int shift = [] {
    int bits = 0;
    while ((2 << bits) <= area) ++bits;
    return bits;
  }();
  constexpr std::uint32_t factor = (std::uint32_t{65536} << shift) / area + 1;
  constexpr std::uint64_t most = 255 * area + area / 2;
  static_assert(factor < 65536 && most < 65536 &&
                (factor * area - (std::uint64_t{65536} << shift)) * most < std::uint64_t{65536}
                                                                               << shift);
  const D16 d16;
  const D8 d8;
  const auto half = hn::Set(d16, area / 2);
  const auto by = hn::Set(d16, static_cast<std::uint16_t>(factor));
  for_levels(d16, size, out, [&](std::size_t at, std::uint8_t* to) HWY_ATTR {
    auto sum = half;
    for (int k = 0; k < window; ++k) sum = hn::Add(sum, hn::LoadU(d16, sums + at + k * step));
    const auto mean = hn::ShiftRight<shift>(hn::MulHigh(sum, by));
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(hn::Rebind<std::int16_t, D16>(), mean)), d8, to);
  });
}

// Computes sums of 1, 2, 4 .. neighbors, each from the previous ones. A box's sum consists of some
// of these, one after the other.
void large_boxes(const std::uint16_t* HWY_RESTRICT sums, std::ptrdiff_t step, int window,
                 std::size_t size, std::uint32_t* HWY_RESTRICT room,
                 std::uint8_t* HWY_RESTRICT out) {
  const D32 d32;
  const DFloat df;
  const DInt di;
  const hn::Rebind<std::uint8_t, D32> d8;
  const hn::Rebind<std::uint16_t, D32> d16;
  const std::size_t lanes = hn::Lanes(d32);
  const std::size_t all = size + static_cast<std::size_t>((window - 1) * step);
  std::uint32_t* const boxes = room;
  std::uint32_t* const powers = room + size + lanes;
  for (std::size_t at = 0; at < all; at += lanes)
    hn::StoreU(hn::PromoteTo(d32, hn::LoadU(d16, sums + at)), d32, powers + at);
  for (std::size_t at = 0; at < size; at += lanes)
    hn::StoreU(hn::LoadU(d32, powers + at), d32, boxes + at);
  std::size_t taken = static_cast<std::size_t>(step), valid = all;
  for (int power = 1; 2 * power <= window; power *= 2) {
    const std::size_t reach = static_cast<std::size_t>(power * step);
    valid -= reach;
    for (std::size_t at = 0; at < valid; at += lanes) {
      const auto one = hn::LoadU(d32, powers + at), other = hn::LoadU(d32, powers + at + reach);
      hn::StoreU(hn::Add(one, other), d32, powers + at);
    }
    if ((window & 2 * power) == 0) continue;
    for (std::size_t at = 0; at < size; at += lanes) {
      const auto box = hn::LoadU(d32, boxes + at), more = hn::LoadU(d32, powers + at + taken);
      hn::StoreU(hn::Add(box, more), d32, boxes + at);
    }
    taken += 2 * reach;
  }
  // Sums are below 2^24, and so exact in single precision. The product with the inverse is off by
  // at most one; the remainder corrects it.
  const auto inverse = hn::Set(df, 1 / static_cast<float>(window * window));
  const auto area = hn::Set(di, window * window), last = hn::Set(di, window * window - 1);
  const auto half = hn::Set(d32, static_cast<std::uint32_t>(window * window / 2));
  for_levels(d32, size, out, [&](std::size_t at, std::uint8_t* to) HWY_ATTR {
    const auto sum = hn::BitCast(di, hn::Add(hn::LoadU(d32, boxes + at), half));
    const auto about = hn::ConvertTo(di, hn::Mul(hn::ConvertTo(df, sum), inverse));
    const auto rest = hn::Sub(sum, hn::Mul(about, area));
    const auto one_more = hn::VecFromMask(di, hn::Gt(rest, last));
    const auto one_less = hn::VecFromMask(di, hn::Lt(rest, hn::Zero(di)));
    hn::StoreU(hn::DemoteTo(d8, hn::Add(hn::Sub(about, one_more), one_less)), d8, to);
  });
}

void MeansOfBoxes(const std::uint16_t* sums, std::ptrdiff_t step, int window, std::size_t size,
                  std::uint32_t* room, std::uint8_t* out) {
  switch (window) {
    case 3:
      return small_boxes<3>(sums, step, size, out);
    case 5:
      return small_boxes<5>(sums, step, size, out);
    case 7:
      return small_boxes<7>(sums, step, size, out);
    case 9:
      return small_boxes<9>(sums, step, size, out);
    case 11:
      return small_boxes<11>(sums, step, size, out);
    case 13:
      return small_boxes<13>(sums, step, size, out);
    case 15:
      return small_boxes<15>(sums, step, size, out);
    default:
      return large_boxes(sums, step, window, size, room, out);
  }
}

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

void weigh_neighbors_plainly(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
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

void WeighNeighbors(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
                    std::size_t size, std::uint8_t* out) {
  weigh_neighbors_plainly(in, step, side, 0, size, out);
}

#else

using DValues = hn::ScalableTag<std::int16_t>;
using DSums = hn::ScalableTag<std::int32_t>;
using V16 = hn::Vec<DValues>;
using V32 = hn::Vec<DSums>;

// The weighted sums of one vector of values.
struct Sums {
  V32 lower, lower_rest, upper, upper_rest;
};

HWY_INLINE Sums start() {
  const V32 zero = hn::Zero(DSums());
  return {zero, zero, zero, zero};
}

// Adds a and b, weighted by the two weights that alternate in `weights`.
HWY_INLINE void add_pair(V16 a, V16 b, V16 weights, Sums& sums) {
  const DValues d16;
  const DSums d32;
  sums.lower = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, a, b), weights,
                                             sums.lower, sums.lower_rest);
  sums.upper = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, a, b), weights,
                                             sums.upper, sums.upper_rest);
}

// Interleaving and narrowing both work on blocks of 16 bytes, so the order is restored.
HWY_INLINE V16 finish(const Sums& sums, int shift) {
  const V32 half = hn::Set(DSums(), 1 << (shift - 1));
  const V32 lower = hn::RearrangeToOddPlusEven(sums.lower, sums.lower_rest);
  const V32 upper = hn::RearrangeToOddPlusEven(sums.upper, sums.upper_rest);
  return hn::ReorderDemote2To(DValues(), hn::ShiftRightSame(hn::Add(lower, half), shift),
                              hn::ShiftRightSame(hn::Add(upper, half), shift));
}

HWY_INLINE V16 two_weights(const std::int16_t* weights) {
  std::int32_t two;
  std::memcpy(&two, weights, sizeof(two));
  return hn::BitCast(DValues(), hn::Set(DSums(), two));
}

void WeighRows(const std::uint8_t* const* HWY_RESTRICT above,
               const std::uint8_t* const* HWY_RESTRICT below, const SideWeights& side,
               std::size_t size, std::int16_t* HWY_RESTRICT out) {
  const DValues d16;
  const hn::Rebind<std::uint8_t, DValues> d8;
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
    Sums sums = start();
    add_pair(load(above[0] + at), two_sides(1, at), two_weights(weights), sums);
    for (int k = 2; k < count; k += 2)
      add_pair(two_sides(k, at), two_sides(k + 1, at), two_weights(weights + k), sums);
    hn::StoreU(finish(sums, shift), d16, out + at);
  };
  const auto weigh_two = [&](std::size_t at) HWY_ATTR {
    Sums first = start();
    Sums second = start();
    const std::size_t next = at + lanes;
    const V16 center = two_weights(weights);
    add_pair(load(above[0] + at), two_sides(1, at), center, first);
    add_pair(load(above[0] + next), two_sides(1, next), center, second);
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

void WeighNeighbors(const std::int16_t* HWY_RESTRICT in, std::ptrdiff_t step,
                    const SideWeights& side, std::size_t size, std::uint8_t* HWY_RESTRICT out) {
  const DValues d16;
  const hn::Rebind<std::uint8_t, DValues> d8;
  const std::size_t lanes = hn::Lanes(d16);
  const int shift = side.bits + kLevelBits;
  const int count = side.count;
  const std::int16_t* weights = side.weights;
  if (size < lanes) return weigh_neighbors_plainly(in, step, side, 0, size, out);

  const auto weigh = [&](std::size_t place) HWY_ATTR {
    const std::int16_t* at = in + place;
    const auto two_sides = [&](int k) HWY_ATTR {
      return hn::Add(hn::LoadU(d16, at - k * step), hn::LoadU(d16, at + k * step));
    };
    Sums sums = start();
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

HWY_EXPORT(MoveBox);
HWY_EXPORT(MeansOfBoxes);
HWY_EXPORT(WeighRows);
HWY_EXPORT(WeighNeighbors);

void move_box(const std::uint8_t* enters, const std::uint8_t* leaves, std::size_t size,
              std::uint16_t* sums) {
  HWY_DYNAMIC_DISPATCH(MoveBox)(enters, leaves, size, sums);
}

void means_of_boxes(const std::uint16_t* sums, std::ptrdiff_t step, int window, std::size_t size,
                    std::uint32_t* room, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(MeansOfBoxes)(sums, step, window, size, room, out);
}

void weigh_rows(const std::uint8_t* const* above, const std::uint8_t* const* below,
                const SideWeights& side, std::size_t size, std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(WeighRows)(above, below, side, size, out);
}

void weigh_neighbors(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
                     std::size_t size, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(WeighNeighbors)(in, step, side, size, out);
}

}  // namespace sluice::kernels
#endif
