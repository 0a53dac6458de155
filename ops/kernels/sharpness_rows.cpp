#include <sluice/ops/kernels/sharpness_rows.h>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/sharpness_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

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

namespace hn = hwy::HWY_NAMESPACE;

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

HWY_EXPORT(Sharpen);

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
