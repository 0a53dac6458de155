// The product of two floats is exact in double precision, so a fused sum does not change the
// result.
#include <sluice/ops/kernels/level_table.h>
#include <sluice/ops/kernels/noise_rows.h>

// The compiler must know the vector length.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/noise_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

void add_noise_plainly(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                       double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = to_level(from[i] + mean + stddev * static_cast<double>(quantiles[bits[i]]));
}

#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64

void AddGaussianNoise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                      double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  add_noise_plainly(from, bits, count, mean, stddev, quantiles, to);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using DHalfInt = hn::Half<DInt>;
using DDouble = hn::Rebind<double, hn::Half<DFloat> >;

void AddGaussianNoise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                      double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  const DFloat df;
  const hn::Half<DFloat> half_floats;
  const DInt di;
  const DHalfInt half_ints;
  const DDouble dd;
  const hn::Rebind<std::uint8_t, DFloat> d8;
  const hn::Rebind<std::uint16_t, DFloat> d16;
  const auto moved = hn::Set(dd, mean), width = hn::Set(dd, stddev), half = hn::Set(dd, 0.5),
             black = hn::Zero(dd), white = hn::Set(dd, 255.0);
  const auto noisy = [&](hn::Vec<DHalfInt> level, hn::Vec<hn::Half<DFloat> > quantile) HWY_ATTR {
    const auto noise = hn::Mul(width, hn::PromoteTo(dd, quantile));
    const auto sum = hn::Add(hn::Add(hn::PromoteTo(dd, level), moved), noise);
    return hn::DemoteTo(half_ints, hn::Min(hn::Max(hn::Add(sum, half), black), white));
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(df) <= count; i += hn::Lanes(df)) {
    const auto places = hn::PromoteTo(di, hn::LoadU(d16, bits + i));
    const auto quantile = hn::GatherIndex(df, quantiles, places);
    const auto level = hn::PromoteTo(di, hn::LoadU(d8, from + i));
    const auto lower = noisy(hn::LowerHalf(half_ints, level), hn::LowerHalf(half_floats, quantile));
    const auto upper = noisy(hn::UpperHalf(half_ints, level), hn::UpperHalf(half_floats, quantile));
    hn::StoreU(hn::DemoteTo(d8, hn::Combine(di, upper, lower)), d8, to + i);
  }
  add_noise_plainly(from + i, bits + i, count - i, mean, stddev, quantiles, to + i);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(AddGaussianNoise);

void add_gaussian_noise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                        double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(AddGaussianNoise)(from, bits, count, mean, stddev, quantiles, to);
}

}  // namespace sluice::kernels
#endif
