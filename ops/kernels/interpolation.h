// How a pixel is computed from its neighbours: Interpolation, and with antialiasing ResizeFilter.
#pragma once

#include <cstdint>

namespace sluice {

// How a resized or turned picture computes a pixel from its neighbours.
enum class Interpolation : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };
const char* name_of(Interpolation interpolation);

}  // namespace sluice

namespace sluice::kernels {

// ResizeFilter: how a resized picture computes a pixel from those around it.
//
// An interpolation alone converts to a filter, which is antialiased. For the kernels that
// resize; operators have two options in its place.

struct ResizeFilter {
  Interpolation interpolation = Interpolation::bilinear;
  // Of a picture that becomes smaller, the filter is as much wider as the picture becomes smaller,
  // so that each pixel has a part. Without it, only the pixels next to each place count, as where
  // the picture becomes larger (torch's antialias=False): quicker, but fine detail turns into
  // patterns that are not there.
  bool antialias = true;

  constexpr ResizeFilter(Interpolation interpolates = Interpolation::bilinear,
                         bool antialiases = true)
      : interpolation(interpolates), antialias(antialiases) {}
  bool operator==(const ResizeFilter&) const = default;
};

}  // namespace sluice::kernels
