#include <sluice/ops/kernels/planes.h>

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

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(Split);
HWY_EXPORT(Join);

void split_planes(const std::uint8_t* pixels, std::size_t count, int channels, Planes& planes) {
  HWY_DYNAMIC_DISPATCH(Split)(pixels, count, channels, planes);
}
void join_planes(const Planes& planes, std::size_t count, int channels, std::uint8_t* pixels) {
  HWY_DYNAMIC_DISPATCH(Join)(planes, count, channels, pixels);
}

}  // namespace sluice::kernels
#endif
