#include <sluice/ops/kernels/level_rows.h>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/level_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t channels>
void map_plainly(const std::uint8_t* from, std::size_t begin, std::size_t end, const Lut* tables,
                 std::uint8_t* to) {
  for (std::size_t i = begin * channels; i < end * channels; i += channels) {
    for (std::size_t c = 0; c < channels; ++c) to[i + c] = tables[c][from[i + c]];
  }
}

#if HWY_TARGET == HWY_SCALAR

template <std::size_t channels>
void map_pixels(const std::uint8_t* from, std::size_t pixels, const Lut* tables, std::uint8_t* to) {
  map_plainly<channels>(from, 0, pixels, tables, to);
}

#else

using D = hn::ScalableTag<std::uint8_t>;
using Levels = hn::Vec<D>;

struct alignas(16) AlignedTable {
  Lut levels;
};

// Shuffles look up the lower four bits in each sixteenth of the table; the upper four bits select
// one of the results.
HWY_INLINE Levels look_up(Levels x, const AlignedTable& table) {
  const D d;
  const auto lower = hn::And(x, hn::Set(d, 15));
  const auto fifth = hn::TestBit(x, hn::Set(d, 16)), sixth = hn::TestBit(x, hn::Set(d, 32)),
             seventh = hn::TestBit(x, hn::Set(d, 64)), eighth = hn::TestBit(x, hn::Set(d, 128));
  const auto one = [&](std::size_t k) HWY_ATTR {
    return hn::TableLookupBytes(hn::LoadDup128(d, table.levels.data() + 16 * k), lower);
  };
  const auto two = [&](std::size_t k)
                       HWY_ATTR { return hn::IfThenElse(fifth, one(k + 1), one(k)); };
  const auto four = [&](std::size_t k)
                        HWY_ATTR { return hn::IfThenElse(sixth, two(k + 2), two(k)); };
  const auto eight = [&](std::size_t k)
                         HWY_ATTR { return hn::IfThenElse(seventh, four(k + 4), four(k)); };
  return hn::IfThenElse(eighth, eight(8), eight(0));
}

template <std::size_t channels>
HWY_INLINE void map_pixels(const std::uint8_t* HWY_RESTRICT from, std::size_t pixels,
                           const Lut* tables, std::uint8_t* HWY_RESTRICT to) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  AlignedTable aligned[channels];
  for (std::size_t c = 0; c < channels; ++c) aligned[c].levels = tables[c];
  std::size_t at = 0;
  for (; at + lanes <= pixels; at += lanes) {
    const std::uint8_t* const in = from + at * channels;
    std::uint8_t* const out = to + at * channels;
    if constexpr (channels == 1) {
      hn::StoreU(look_up(hn::LoadU(d, in), aligned[0]), d, out);
    } else if constexpr (channels == 3) {
      Levels a, b, c;
      hn::LoadInterleaved3(d, in, a, b, c);
      hn::StoreInterleaved3(look_up(a, aligned[0]), look_up(b, aligned[1]), look_up(c, aligned[2]),
                            d, out);
    } else {
      Levels a, b, c, e;
      hn::LoadInterleaved4(d, in, a, b, c, e);
      hn::StoreInterleaved4(look_up(a, aligned[0]), look_up(b, aligned[1]), look_up(c, aligned[2]),
                            look_up(e, aligned[3]), d, out);
    }
  }
  map_plainly<channels>(from, at, pixels, tables, to);
}

#endif  // HWY_TARGET == HWY_SCALAR

void MapPixels(const std::uint8_t* from, std::size_t pixels, std::span<const Lut> tables,
               std::uint8_t* to) {
  switch (tables.size()) {
    case 1:
      return map_pixels<1>(from, pixels, tables.data(), to);
    case 3:
      return map_pixels<3>(from, pixels, tables.data(), to);
    default:
      return map_pixels<4>(from, pixels, tables.data(), to);
  }
}

struct Largest {
  template <class V>
  HWY_INLINE static V of(V a, V b) {
    return hn::Max(a, b);
  }
  static std::uint8_t of_two(std::uint8_t a, std::uint8_t b) { return std::max(a, b); }
};
struct Smallest {
  template <class V>
  HWY_INLINE static V of(V a, V b) {
    return hn::Min(a, b);
  }
  static std::uint8_t of_two(std::uint8_t a, std::uint8_t b) { return std::min(a, b); }
};

template <class Pick>
HWY_INLINE void pick(std::span<const std::uint8_t* const> rows, std::size_t size,
                     std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d), at_once = 4 * lanes;
  if (size < at_once) {
    for (std::size_t at = 0; at < size; ++at) {
      std::uint8_t level = rows[0][at];
      for (const std::uint8_t* row : rows.subspan(1)) level = Pick::of_two(level, row[at]);
      out[at] = level;
    }
    return;
  }
  // Process four vectors per pass over the rows; the last pass ends at the end of the rows.
  for (std::size_t begin = 0; begin < size; begin += at_once) {
    const std::size_t at = std::min(begin, size - at_once);
    const std::uint8_t* from = rows[0] + at;
    auto first = hn::LoadU(d, from), second = hn::LoadU(d, from + lanes),
         third = hn::LoadU(d, from + 2 * lanes), fourth = hn::LoadU(d, from + 3 * lanes);
    for (const std::uint8_t* row : rows.subspan(1)) {
      from = row + at;
      first = Pick::of(first, hn::LoadU(d, from));
      second = Pick::of(second, hn::LoadU(d, from + lanes));
      third = Pick::of(third, hn::LoadU(d, from + 2 * lanes));
      fourth = Pick::of(fourth, hn::LoadU(d, from + 3 * lanes));
    }
    hn::StoreU(first, d, out + at);
    hn::StoreU(second, d, out + at + lanes);
    hn::StoreU(third, d, out + at + 2 * lanes);
    hn::StoreU(fourth, d, out + at + 3 * lanes);
  }
}

void LargestOfRows(std::span<const std::uint8_t* const> rows, std::size_t size,
                   std::uint8_t* HWY_RESTRICT out) {
  pick<Largest>(rows, size, out);
}
void SmallestOfRows(std::span<const std::uint8_t* const> rows, std::size_t size,
                    std::uint8_t* HWY_RESTRICT out) {
  pick<Smallest>(rows, size, out);
}

// n / 13 for n up to 13 * 255 + 6 is n * 5042 / 2^16, rounded down.
constexpr int kThirteenth = 5042;

void sharpen_plainly(const std::uint8_t* const rows[3], std::ptrdiff_t step, FixedFactor factor,
                     std::size_t begin, std::size_t end, std::uint8_t* out) {
  for (std::size_t i = begin; i < end; ++i) {
    int sum = 4 * rows[1][i] + 6;
    for (int r = 0; r < 3; ++r) {
      const std::uint8_t* at = rows[r] + i;
      sum += at[-step] + at[0] + at[step];
    }
    const int smooth = (sum * kThirteenth) >> 16;
    // Matches the instruction for 16-bit fractions.
    const int difference = (rows[1][i] - smooth) * (1 << (15 - factor.bits));
    const int change = (difference * factor.value + (1 << 14)) >> 15;
    out[i] = static_cast<std::uint8_t>(std::clamp(smooth + change, 0, 255));
  }
}

#if HWY_TARGET == HWY_SCALAR

void Sharpen(const std::uint8_t* const rows[3], std::ptrdiff_t step, FixedFactor factor,
             std::size_t size, std::uint8_t* out) {
  sharpen_plainly(rows, step, factor, 0, size, out);
}

#else

void Sharpen(const std::uint8_t* const rows[3], std::ptrdiff_t step, FixedFactor factor,
             std::size_t size, std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::RebindToUnsigned<decltype(d16)> du16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d16);
  const auto six = hn::Set(d16, 6);
  const auto thirteenth = hn::Set(du16, kThirteenth);
  const auto by = hn::Set(d16, factor.value);
  if (size < lanes) return sharpen_plainly(rows, step, factor, 0, size, out);

  const auto load = [&](const std::uint8_t* from)
                        HWY_ATTR { return hn::PromoteTo(d16, hn::LoadU(d8, from)); };
  const auto three = [&](const std::uint8_t* at) HWY_ATTR {
    return hn::Add(hn::Add(load(at - step), load(at)), load(at + step));
  };
  const auto sharpen = [&](std::size_t i) HWY_ATTR {
    const auto x = load(rows[1] + i);
    const auto around =
        hn::Add(hn::Add(three(rows[0] + i), three(rows[1] + i)), three(rows[2] + i));
    const auto sum = hn::Add(hn::Add(around, six), hn::ShiftLeft<2>(x));
    const auto smooth = hn::BitCast(d16, hn::MulHigh(hn::BitCast(du16, sum), thirteenth));
    const auto difference = hn::ShiftLeftSame(hn::Sub(x, smooth), 15 - factor.bits);
    const auto changed = hn::SaturatedAdd(smooth, hn::MulFixedPoint15(difference, by));
    hn::StoreU(hn::DemoteTo(d8, changed), d8, out + i);
  };
  for (std::size_t at = 0; at + lanes <= size; at += lanes) sharpen(at);
  if (size % lanes != 0) sharpen(size - lanes);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(MapPixels);
HWY_EXPORT(LargestOfRows);
HWY_EXPORT(SmallestOfRows);
HWY_EXPORT(Sharpen);

void map_pixels(const std::uint8_t* from, std::size_t pixels, std::span<const Lut> tables,
                std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(MapPixels)(from, pixels, tables, to);
}

void largest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                     std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(LargestOfRows)(rows, size, out);
}
void smallest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                      std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SmallestOfRows)(rows, size, out);
}

FixedFactor fixed_factor(float factor) {
  int bits = 15;
  while (std::lround(std::ldexp(factor, bits)) > INT16_MAX) --bits;
  return {static_cast<std::int16_t>(std::lround(std::ldexp(factor, bits))), bits};
}

void sharpen_row(const std::uint8_t* const rows[3], std::ptrdiff_t step, FixedFactor factor,
                 std::size_t size, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(Sharpen)(rows, step, factor, size, out);
}

}  // namespace sluice::kernels
#endif
