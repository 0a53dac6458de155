#include <sluice/ops/kernels/rounded_levels.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/rounded_levels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

HWY_INLINE void store_rounded(hn::Vec<D> numbers, std::uint8_t* levels) {
  const D d;
  const hn::Rebind<std::int32_t, D> d32;
  const hn::Rebind<std::uint8_t, D> d8;
  // NaN becomes 0.
  const auto positive = hn::IfThenElseZero(hn::Gt(numbers, hn::Zero(d)), numbers);
  const auto bounded = hn::Min(positive, hn::Set(d, 255.f));
  // Adding a half would round up numbers just below one half.
  const auto below = hn::Floor(bounded);
  const auto is_upper = hn::Ge(hn::Sub(bounded, below), hn::Set(d, 0.5f));
  const auto rounded = hn::Add(below, hn::IfThenElseZero(is_upper, hn::Set(d, 1.f)));
  hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, rounded)), d8, levels);
}

void RoundedLevels(const float* numbers, std::size_t count, std::uint8_t* levels) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store_rounded(hn::LoadU(d, numbers + i), levels + i);
  if (i == count) return;
  HWY_ALIGN float last[hn::MaxLanes(D())] = {};
  HWY_ALIGN std::uint8_t rounded[hn::MaxLanes(D())];
  std::copy(numbers + i, numbers + count, last);
  store_rounded(hn::Load(d, last), rounded);
  std::copy_n(rounded, count - i, levels + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(RoundedLevels);

void rounded_levels(const float* numbers, std::size_t count, std::uint8_t* levels) {
  HWY_DYNAMIC_DISPATCH(RoundedLevels)(numbers, count, levels);
}

}  // namespace sluice::kernels
#endif
