// ResizeFilter: how a resized picture computes a pixel from those around it.
//
// An interpolation alone converts to a filter, which is antialiased. Internal to the kernels that
// resize; operators have two options in its place.
#pragma once

#include <sluice/ops/kernels/interpolation.h>

namespace sluice::kernels {

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
