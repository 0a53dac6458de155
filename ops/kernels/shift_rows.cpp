// Compiled without contraction to fused multiply-add (CMakeLists.txt), which not all instruction
// sets have.
#include <sluice/ops/kernels/shift_rows.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/shift_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Computes `vectors` vectors of sums, from column x on.
template <int vectors, class D>
HWY_INLINE void sum_columns(D d, const float* const* rows, const float* weights, int count, int x,
                            float* out) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  auto a = zero, b = zero, c = zero, e = zero;
  for (int k = 0; k < count; ++k) {
    const float* const from = rows[k] + x;
    const auto weight = hn::Set(d, weights[k]);
    a = hn::Add(a, hn::Mul(weight, hn::LoadU(d, from)));
    if constexpr (vectors == 4) {
      b = hn::Add(b, hn::Mul(weight, hn::LoadU(d, from + lanes)));
      c = hn::Add(c, hn::Mul(weight, hn::LoadU(d, from + 2 * lanes)));
      e = hn::Add(e, hn::Mul(weight, hn::LoadU(d, from + 3 * lanes)));
    }
  }
  hn::StoreU(a, d, out + x);
  if constexpr (vectors == 4) {
    hn::StoreU(b, d, out + x + lanes);
    hn::StoreU(c, d, out + x + 2 * lanes);
    hn::StoreU(e, d, out + x + 3 * lanes);
  }
}

void WeightedRows(const float* const* rows, const float* weights, int count, int width,
                  float* out) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + 4 * lanes <= width; x += 4 * lanes) sum_columns<4>(d, rows, weights, count, x, out);
  for (; x + lanes <= width; x += lanes) sum_columns<1>(d, rows, weights, count, x, out);
  const hn::CappedTag<float, 1> one;
  for (; x < width; ++x) sum_columns<1>(one, rows, weights, count, x, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(WeightedRows);

void weighted_rows(const float* const* rows, const float* weights, int count, int width,
                   float* out) {
  HWY_DYNAMIC_DISPATCH(WeightedRows)(rows, weights, count, width, out);
}

}  // namespace sluice::kernels
#endif
