// lens_distortion: bends straight lines like a simple lens.
//
// An output pixel at distance r from the center (r = 1 at the corners) samples the input on the
// same ray at distance r (1 + k1 r^2 + k2 r^4): see place_sampler.h. Positive numbers push the
// image inwards (barrel), negative ones pull it outwards (pincushion).
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, and numbers that are not
// finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// The center of the image, the squared distance of its corners from there, and the two
// coefficients.
struct Lens {
  double middle_x = 0, middle_y = 0, corner = 1;
  double k1 = 0, k2 = 0;
};
// Computes the lens. Throws the errors of lens_distortion().
Lens lens_for(const Image& in, float k1, float k2, const WarpOptions& options);

void lens_distortion(const Image& in, float k1, float k2, const WarpOptions& options, Image& out);

}  // namespace sluice::kernels
