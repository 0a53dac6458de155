#include <sluice/ops/kernels/mix_rows.h>

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/mix_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

void mix_plainly(const Half* from, float own, float other, std::size_t begin, std::size_t end,
                 Half* to) {
  for (std::size_t i = begin; i < end; ++i)
    to[i] = Half(own * static_cast<float>(to[i]) + other * static_cast<float>(from[i]));
}

// Only these targets convert in hardware, and so round like Half.
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_TARGET == HWY_NEON

namespace hn = hwy::HWY_NAMESPACE;

void MixHalves(const Half* from, float own, float other, std::size_t count, Half* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const hn::RebindToUnsigned<decltype(d16)> du16;
  const std::size_t lanes = hn::Lanes(d);
  const auto load = [&](const Half* at) HWY_ATTR {
    const auto bits = hn::LoadU(du16, reinterpret_cast<const std::uint16_t*>(at));
    return hn::PromoteTo(d, hn::BitCast(d16, bits));
  };
  std::size_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    const auto mixed = hn::Add(hn::Mul(hn::Set(d, own), load(to + at)),
                               hn::Mul(hn::Set(d, other), load(from + at)));
    hn::StoreU(hn::BitCast(du16, hn::DemoteTo(d16, mixed)), du16,
               reinterpret_cast<std::uint16_t*>(to + at));
  }
  mix_plainly(from, own, other, at, count, to);
}

#else

void MixHalves(const Half* from, float own, float other, std::size_t count, Half* to) {
  mix_plainly(from, own, other, 0, count, to);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(MixHalves);

void mix_halves(const Half* from, float own, float other, std::size_t count, Half* to) {
  HWY_DYNAMIC_DISPATCH(MixHalves)(from, own, other, count, to);
}

}  // namespace sluice::kernels
#endif
