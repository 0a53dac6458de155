#include <sluice/ops/kernels/extreme_rows.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/extreme_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(LargestOfRows);
HWY_EXPORT(SmallestOfRows);

void largest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                     std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(LargestOfRows)(rows, size, out);
}
void smallest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                      std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SmallestOfRows)(rows, size, out);
}

}  // namespace sluice::kernels
#endif
