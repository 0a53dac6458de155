// Compiled without contraction of products and sums to fused operations (CMakeLists.txt): not all
// sets of instructions have them.
#include <sluice/ops/kernels/filter_rows.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/filter_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void SumWeightedRows(std::span<const WeightedRow> rows, std::size_t size,
                     std::uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  const auto store = [&](auto sums, std::size_t at) HWY_ATTR {
    const auto level = hn::Min(hn::Max(hn::Add(sums, hn::Set(d, 0.5f)), zero), hn::Set(d, 255.f));
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, level)), d8, out + at);
  };
  std::size_t at = 0;
  // Four vectors, so that a sum need not wait for the one before.
  for (; at + 4 * lanes <= size; at += 4 * lanes) {
    auto first = zero, second = zero, third = zero, fourth = zero;
    for (const WeightedRow& row : rows) {
      const float* HWY_RESTRICT from = row.levels + at;
      const auto weight = hn::Set(d, row.weight);
      first = hn::Add(first, hn::Mul(weight, hn::LoadU(d, from)));
      second = hn::Add(second, hn::Mul(weight, hn::LoadU(d, from + lanes)));
      third = hn::Add(third, hn::Mul(weight, hn::LoadU(d, from + 2 * lanes)));
      fourth = hn::Add(fourth, hn::Mul(weight, hn::LoadU(d, from + 3 * lanes)));
    }
    store(first, at);
    store(second, at + lanes);
    store(third, at + 2 * lanes);
    store(fourth, at + 3 * lanes);
  }
  for (; at < size; ++at) {
    float sum = 0;
    for (const WeightedRow& row : rows) sum += row.weight * row.levels[at];
    out[at] = static_cast<std::uint8_t>(std::clamp(sum + 0.5f, 0.f, 255.f));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(SumWeightedRows);

void sum_weighted_rows(std::span<const WeightedRow> rows, std::size_t size, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SumWeightedRows)(rows, size, out);
}

}  // namespace sluice::kernels
#endif
