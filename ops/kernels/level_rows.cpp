#include <sluice/ops/kernels/level_rows.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/level_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t channels>
void map_plainly(const std::uint8_t* from, std::size_t begin, std::size_t end,
                 const LevelTable* tables, std::uint8_t* to) {
  for (std::size_t i = begin * channels; i < end * channels; i += channels) {
    for (std::size_t c = 0; c < channels; ++c) to[i + c] = tables[c][from[i + c]];
  }
}

#if HWY_TARGET == HWY_SCALAR

template <std::size_t channels>
void map_pixels(const std::uint8_t* from, std::size_t pixels, const LevelTable* tables,
                std::uint8_t* to) {
  map_plainly<channels>(from, 0, pixels, tables, to);
}

#else

using D = hn::ScalableTag<std::uint8_t>;
using Levels = hn::Vec<D>;

struct alignas(16) AlignedTable {
  LevelTable levels;
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
                           const LevelTable* tables, std::uint8_t* HWY_RESTRICT to) {
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

void MapPixels(const std::uint8_t* from, std::size_t pixels, std::span<const LevelTable> tables,
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

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(MapPixels);

void map_pixels(const std::uint8_t* from, std::size_t pixels, std::span<const LevelTable> tables,
                std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(MapPixels)(from, pixels, tables, to);
}

}  // namespace sluice::kernels
#endif
