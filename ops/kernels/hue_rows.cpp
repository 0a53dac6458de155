#include <sluice/ops/kernels/hue.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/hue_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using DByte = hn::Rebind<std::uint8_t, DFloat>;
using Floats = hn::Vec<DFloat>;

HWY_INLINE Floats floats(const std::uint8_t* levels) {
  return hn::ConvertTo(DFloat(), hn::PromoteTo(DInt(), hn::LoadU(DByte(), levels)));
}

// Maps 0 .. 12 to 0 .. 6.
HWY_INLINE Floats within_circle(Floats sixths) {
  const auto six = hn::Set(DFloat(), 6.f);
  return hn::IfThenElse(hn::Ge(sixths, six), hn::Sub(sixths, six), sixths);
}

// Stores the channel's value for k sixths. All products and differences here are exact.
HWY_INLINE void store(Floats value, Floats chroma, Floats k, std::uint8_t* levels) {
  const DFloat d;
  const auto whole_steps = hn::Set(d, 256.f);  // from here on, floats are 2^-15 apart
  const auto slope = hn::Min(k, hn::Sub(hn::Set(d, 4.f), k));
  const auto part = hn::Min(hn::Max(slope, hn::Zero(d)), hn::Set(d, 1.f));
  const auto rounded = hn::Sub(hn::Add(part, whole_steps), whole_steps);
  const auto level = hn::Sub(value, hn::Mul(chroma, rounded));
  const auto whole = hn::ConvertTo(DInt(), hn::Add(level, hn::Set(d, 0.5f)));
  hn::StoreU(hn::DemoteTo(DByte(), whole), DByte(), levels);
}

void HueOfPlanes(float sixths, std::size_t count, Planes& planes) {
  const DFloat d;
  std::uint8_t* const red = planes.channel[0].data();
  std::uint8_t* const green = planes.channel[1].data();
  std::uint8_t* const blue = planes.channel[2].data();
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto r = floats(red + i), g = floats(green + i), b = floats(blue + i);
    const auto value = hn::Max(r, hn::Max(g, b));
    const auto chroma = hn::Sub(value, hn::Min(r, hn::Min(g, b)));
    const auto is_red = hn::Eq(value, r);
    const auto is_green = hn::Eq(value, g);
    // The hue relative to that of the largest channel, from -1 to 1. The first of several equal
    // ones counts.
    const auto difference = hn::IfThenElse(is_red, hn::Sub(g, b),
                                           hn::IfThenElse(is_green, hn::Sub(b, r), hn::Sub(r, g)));
    const auto offset = hn::Div(difference, hn::Max(chroma, hn::Set(d, 1.f)));
    const auto largest = hn::IfThenElse(is_red, hn::Set(d, 6.f),
                                        hn::IfThenElse(is_green, hn::Set(d, 2.f), hn::Set(d, 4.f)));
    const auto old_hue = within_circle(hn::Add(largest, offset));
    const auto hue = within_circle(hn::Add(old_hue, hn::Set(d, sixths)));
    store(value, chroma, within_circle(hn::Add(hue, hn::Set(d, 5.f))), red + i);
    store(value, chroma, within_circle(hn::Add(hue, hn::Set(d, 3.f))), green + i);
    store(value, chroma, within_circle(hn::Add(hue, hn::Set(d, 1.f))), blue + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(HueOfPlanes);

void hue_of_planes(float sixths, std::size_t count, Planes& planes) {
  HWY_DYNAMIC_DISPATCH(HueOfPlanes)(sixths, count, planes);
}

}  // namespace sluice::kernels
#endif
