#include <sluice/ops/kernels/luma.h>

#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/luma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using DByte = hn::Rebind<std::uint8_t, DFloat>;

HWY_INLINE hn::Vec<DFloat> floats(const std::uint8_t* levels) {
  return hn::ConvertTo(DFloat(), hn::PromoteTo(DInt(), hn::LoadU(DByte(), levels)));
}

// All sums are whole numbers below 2^24, which floats hold exactly.
void LumaOfPlanes(const Planes& planes, std::size_t count, std::uint8_t* luma) {
  const DFloat d;
  const auto red = hn::Set(d, kLumaOf65536[0]);
  const auto green = hn::Set(d, kLumaOf65536[1]);
  const auto blue = hn::Set(d, kLumaOf65536[2]);
  const auto half = hn::Set(d, 32768.f);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    auto sum = hn::MulAdd(floats(planes.channel[0].data() + i), red, half);
    sum = hn::MulAdd(floats(planes.channel[1].data() + i), green, sum);
    sum = hn::MulAdd(floats(planes.channel[2].data() + i), blue, sum);
    const auto whole = hn::ShiftRight<16>(hn::ConvertTo(DInt(), sum));
    hn::StoreU(hn::DemoteTo(DByte(), whole), DByte(), luma + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(LumaOfPlanes);

void luma_of_planes(const Planes& planes, std::size_t count, std::uint8_t* luma) {
  HWY_DYNAMIC_DISPATCH(LumaOfPlanes)(planes, count, luma);
}

double mean_luma(const Image& in) {
  const auto sum_of = [](const std::uint8_t* levels, std::size_t count) {
    return std::accumulate(levels, levels + count, std::uint32_t{0});
  };
  std::uint64_t sum = 0;
  Planes planes;
  std::array<std::uint8_t, kPlanePixels> luma;
  const auto width = static_cast<std::size_t>(in.width());
  for (int y = 0; y < in.height(); ++y) {
    for (std::size_t x = 0; x < width; x += kPlanePixels) {
      const std::size_t count = std::min(kPlanePixels, width - x);
      if (in.channels() == 1) {
        sum += sum_of(in.row(y) + x, count);
        continue;
      }
      split_planes(in.row(y) + x * static_cast<std::size_t>(in.channels()), count, in.channels(),
                   planes);
      luma_of_planes(planes, count, luma.data());
      sum += sum_of(luma.data(), count);
    }
  }
  return static_cast<double>(sum) /
         (static_cast<double>(in.height()) * static_cast<double>(in.width()));
}

}  // namespace sluice::kernels
#endif
