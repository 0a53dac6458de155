#include <sluice/ops/kernels/color_rows.h>

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/planes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DByte = hn::ScalableTag<std::uint8_t>;

template <int channels>
HWY_INLINE void split_vector(const std::uint8_t* pixels, std::size_t at, Planes& planes) {
  const DByte d;
  hn::Vec<DByte> a, b, c;
  if constexpr (channels == 3) {
    hn::LoadInterleaved3(d, pixels, a, b, c);
  } else {
    hn::Vec<DByte> e;
    hn::LoadInterleaved4(d, pixels, a, b, c, e);
    hn::StoreU(e, d, planes.channel[3].data() + at);
  }
  hn::StoreU(a, d, planes.channel[0].data() + at);
  hn::StoreU(b, d, planes.channel[1].data() + at);
  hn::StoreU(c, d, planes.channel[2].data() + at);
}

template <int channels>
HWY_INLINE void join_vector(const Planes& planes, std::size_t at, std::uint8_t* pixels) {
  const DByte d;
  const auto a = hn::LoadU(d, planes.channel[0].data() + at);
  const auto b = hn::LoadU(d, planes.channel[1].data() + at);
  const auto c = hn::LoadU(d, planes.channel[2].data() + at);
  if constexpr (channels == 3) {
    hn::StoreInterleaved3(a, b, c, d, pixels);
  } else {
    hn::StoreInterleaved4(a, b, c, hn::LoadU(d, planes.channel[3].data() + at), d, pixels);
  }
}

template <int channels>
HWY_INLINE void split(const std::uint8_t* pixels, std::size_t count, Planes& planes) {
  const std::size_t lanes = hn::Lanes(DByte());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) split_vector<channels>(pixels + i * channels, i, planes);
  if (i == count) return;
  std::uint8_t last[4 * HWY_MAX_BYTES] = {};
  std::memcpy(last, pixels + i * channels, (count - i) * channels);
  split_vector<channels>(last, i, planes);
}

template <int channels>
HWY_INLINE void join(const Planes& planes, std::size_t count, std::uint8_t* pixels) {
  const std::size_t lanes = hn::Lanes(DByte());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) join_vector<channels>(planes, i, pixels + i * channels);
  if (i == count) return;
  std::uint8_t last[4 * HWY_MAX_BYTES];
  join_vector<channels>(planes, i, last);
  std::memcpy(pixels + i * channels, last, (count - i) * channels);
}

void Split(const std::uint8_t* pixels, std::size_t count, int channels, Planes& planes) {
  if (channels == 3) {
    split<3>(pixels, count, planes);
  } else {
    split<4>(pixels, count, planes);
  }
}
void Join(const Planes& planes, std::size_t count, int channels, std::uint8_t* pixels) {
  if (channels == 3) {
    join<3>(planes, count, pixels);
  } else {
    join<4>(planes, count, pixels);
  }
}

using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using DLevels = hn::Rebind<std::uint8_t, DFloat>;
using Floats = hn::Vec<DFloat>;

HWY_INLINE Floats floats(const std::uint8_t* levels) {
  return hn::ConvertTo(DFloat(), hn::PromoteTo(DInt(), hn::LoadU(DLevels(), levels)));
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
  hn::StoreU(hn::DemoteTo(DLevels(), whole), DLevels(), levels);
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

HWY_EXPORT(Split);
HWY_EXPORT(Join);
HWY_EXPORT(HueOfPlanes);

void split_planes(const std::uint8_t* pixels, std::size_t count, int channels, Planes& planes) {
  HWY_DYNAMIC_DISPATCH(Split)(pixels, count, channels, planes);
}
void join_planes(const Planes& planes, std::size_t count, int channels, std::uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(Join)(planes, count, channels, pixels);
}

void hue_of_planes(float sixths, std::size_t count, Planes& planes) {
  HWY_DYNAMIC_DISPATCH(HueOfPlanes)(sixths, count, planes);
}

}  // namespace sluice::kernels
#endif
