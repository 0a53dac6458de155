// lens_distortion: straight lines bend, as in pictures of simple lenses.
//
// An output pixel at distance r from the middle, where the corners have r = 1, looks up the place
// on the same ray at distance r (1 + k1 r^2 + k2 r^4): see place_sampler.h. Positive numbers push
// the picture inwards (barrel), negative ones pull it outwards (pincushion).
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, and numbers that are not
// finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// The middle of the picture, the distance of its corners from there, squared, and the two numbers.
struct Lens {
  double middle_x = 0, middle_y = 0, corner = 1;
  double k1 = 0, k2 = 0;
};
// With what lens_distortion() refuses.
Lens lens_for(const Image& in, float k1, float k2, const WarpOptions& options);

void lens_distortion(const Image& in, float k1, float k2, const WarpOptions& options, Image& out);

}  // namespace sluice::kernels
