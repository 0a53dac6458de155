#include <sluice/ops/kernels/blend_rows.h>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/blend_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

// Values with 7 fractional bits just fit into 16 bits, and so does their saturated sum.
constexpr int kPoint = 7;

void sum_plainly(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
                 std::size_t begin, std::size_t end, std::uint8_t* out) {
  for (std::size_t i = begin; i < end; ++i) {
    int sum = 1 << (kPoint - 1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const int level = rows[k][i] * (1 << kPoint);
      sum = std::min(sum + ((level * weights[k] + (1 << 14)) >> 15), int{INT16_MAX});
    }
    out[i] = static_cast<std::uint8_t>(sum >> kPoint);
  }
}

#if HWY_TARGET == HWY_SCALAR

void SumRows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
             std::size_t size, std::uint8_t* out) {
  sum_plainly(rows, weights, 0, size, out);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

void SumRows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
             std::size_t size, std::uint8_t* out) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d16);
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) {
    auto sum = hn::Set(d16, 1 << (kPoint - 1));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto level = hn::ShiftLeft<kPoint>(hn::PromoteTo(d16, hn::LoadU(d8, rows[k] + at)));
      sum = hn::SaturatedAdd(sum, hn::MulFixedPoint15(level, hn::Set(d16, weights[k])));
    }
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<kPoint>(sum)), d8, out + at);
  }
  // The last lanes must not be computed twice: `out` may be one of the rows.
  sum_plainly(rows, weights, at, size, out);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(SumRows);

std::int16_t fixed_weight(double weight) {
  return static_cast<std::int16_t>(std::min<long>(std::lround(weight * 32768), INT16_MAX));
}

void sum_rows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
              std::size_t size, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SumRows)(rows, weights, size, out);
}

}  // namespace sluice::kernels
#endif
