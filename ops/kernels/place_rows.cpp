// Compiled without contraction of products and sums to fused operations (CMakeLists.txt): not all
// sets of instructions have them.
#include <sluice/ops/kernels/place_rows.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/place_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64

void SampleInnerPlaces(const Image&, Interpolation, const double*, const double*, int count,
                       std::uint8_t*, bool* done) {
  std::fill_n(done, count, false);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// The channels of a pixel: all in one vector, or two at a time.
using DLevels = hn::CappedTag<double, 4>;
using Levels = hn::Vec<DLevels>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(DLevels()));

// Bytes that are read and written for a pixel.
constexpr int bytes_read(int channels) { return (channels + kLanes - 1) / kLanes * kLanes; }

HWY_INLINE Levels levels_at(const std::uint8_t* pixel) {
  const hn::Rebind<std::uint8_t, DLevels> d8;
  const hn::Rebind<std::int32_t, DLevels> d32;
  return hn::PromoteTo(DLevels(), hn::PromoteTo(d32, hn::LoadU(d8, pixel)));
}

HWY_INLINE void store_levels(Levels levels, std::uint8_t* pixel) {
  const DLevels d;
  const hn::Rebind<std::uint8_t, DLevels> d8;
  const hn::Rebind<std::int32_t, DLevels> d32;
  const auto inside =
      hn::Min(hn::Max(hn::Add(levels, hn::Set(d, 0.5)), hn::Zero(d)), hn::Set(d, 255.0));
  hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(d32, inside)), d8, pixel);
}

HWY_INLINE Levels between(Levels from, Levels to, Levels share) {
  return hn::Add(from, hn::Mul(hn::Sub(to, from), share));
}

// Where the pixel stands at which a place begins, and how far behind its middle the place lies.
struct Places {
  std::int32_t column[kPlacesAtOnce], row[kPlacesAtOnce];
  double right[kPlacesAtOnce], below[kPlacesAtOnce];
};

// Places (x - shift, y - shift) whose pixels from `before` rows and columns before that at which
// they begin exist, to `after` after it, all bytes that are read of them included.
template <int channels>
HWY_INLINE void find_inner(const Image& in, double shift, int before, int after, const double* x,
                           const double* y, int count, Places& places, bool* done) {
  const int last_bytes = (bytes_read(channels) + channels - 1) / channels;  // in pixels
  const double first = before;
  const double right = in.width() - after - last_bytes + 1, bottom = in.height() - after;
  for (int i = 0; i < count; ++i) {
    const double at_x = x[i] - shift, at_y = y[i] - shift;
    // Not of what is no number.
    const bool inner = (at_x >= first) & (at_y >= first) & (at_x < right) & (at_y < bottom);
    const double from_x = inner ? at_x : 0.0, from_y = inner ? at_y : 0.0;
    places.column[i] = static_cast<std::int32_t>(from_x);
    places.row[i] = static_cast<std::int32_t>(from_y);
    places.right[i] = from_x - places.column[i];
    places.below[i] = from_y - places.row[i];
    done[i] = inner;
  }
}

// Calls sample(pixel, i, to) for what is inner. `to` takes bytes_read() bytes.
template <int channels, class F>
HWY_INLINE void for_inner(const Image& in, const Places& places, int count, const bool* done,
                          std::uint8_t* out, const F& sample) {
  const std::uint8_t* const data = in.data();
  const std::ptrdiff_t stride = in.row_stride();
  const auto pixel = [&](int i) {
    return data + places.row[i] * stride + std::ptrdiff_t{places.column[i]} * channels;
  };
  // What is written beyond a pixel belongs to the next one, but for the last ones.
  constexpr int kMore = (bytes_read(channels) + channels - 1) / channels - 1;
  int i = 0;
  for (; i < count - kMore; ++i, out += channels)
    if (done[i]) sample(pixel(i), i, out);
  for (; i < count; ++i, out += channels) {
    std::uint8_t last[bytes_read(channels)];
    if (!done[i]) continue;
    sample(pixel(i), i, last);
    std::memcpy(out, last, channels);
  }
}

template <int channels>
void sample_all(const Image& in, Interpolation interpolation, const double* x, const double* y,
                int count, std::uint8_t* out, bool* done) {
  const DLevels d;
  const std::ptrdiff_t stride = in.row_stride();
  Places places;
  if (interpolation == Interpolation::nearest) {
    find_inner<channels>(in, 0.0, 0, 0, x, y, count, places, done);
    for_inner<channels>(in, places, count, done, out,
                        [](const std::uint8_t* pixel, int, std::uint8_t* to) {
                          std::memcpy(to, pixel, bytes_read(channels));
                        });
  } else if (interpolation == Interpolation::bicubic) {
    find_inner<channels>(in, 0.5, 1, 2, x, y, count, places, done);
    for_inner<channels>(in, places, count, done, out,
                        [&](const std::uint8_t* pixel, int i, std::uint8_t* to) HWY_ATTR {
                          const std::array<double, 4> across = cubic_weights(places.right[i]);
                          const std::array<double, 4> down = cubic_weights(places.below[i]);
                          for (int c = 0; c < channels; c += kLanes) {
                            Levels sum = hn::Zero(d);
                            for (int r = 0; r < 4; ++r) {
                              const std::uint8_t* const from = pixel + (r - 1) * stride + c;
                              for (int k = 0; k < 4; ++k) {
                                const double weight = down[static_cast<std::size_t>(r)] *
                                                      across[static_cast<std::size_t>(k)];
                                sum = hn::Add(sum, hn::Mul(hn::Set(d, weight),
                                                           levels_at(from + (k - 1) * channels)));
                              }
                            }
                            store_levels(sum, to + c);
                          }
                        });
  } else {
    find_inner<channels>(in, 0.5, 0, 1, x, y, count, places, done);
    for_inner<channels>(
        in, places, count, done, out,
        [&](const std::uint8_t* pixel, int i, std::uint8_t* to) HWY_ATTR {
          const Levels right = hn::Set(d, places.right[i]);
          const Levels below = hn::Set(d, places.below[i]);
          for (int c = 0; c < channels; c += kLanes) {
            const std::uint8_t* const from = pixel + c;
            const Levels top = between(levels_at(from), levels_at(from + channels), right);
            const Levels bottom =
                between(levels_at(from + stride), levels_at(from + stride + channels), right);
            store_levels(between(top, bottom, below), to + c);
          }
        });
  }
}

void SampleInnerPlaces(const Image& in, Interpolation interpolation, const double* x,
                       const double* y, int count, std::uint8_t* out, bool* done) {
  switch (in.channels()) {
    case 1:
      return sample_all<1>(in, interpolation, x, y, count, out, done);
    case 2:
      return sample_all<2>(in, interpolation, x, y, count, out, done);
    case 3:
      return sample_all<3>(in, interpolation, x, y, count, out, done);
    default:
      return sample_all<4>(in, interpolation, x, y, count, out, done);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(SampleInnerPlaces);

void sample_inner_places(const Image& in, Interpolation interpolation, const double* x,
                         const double* y, int count, std::uint8_t* out, bool* done) {
  HWY_DYNAMIC_DISPATCH(SampleInnerPlaces)(in, interpolation, x, y, count, out, done);
}

}  // namespace sluice::kernels
#endif
