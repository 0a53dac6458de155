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

void lens_distortion(const Image& in, float k1, float k2, const WarpOptions& options, Image& out);

}  // namespace sluice::kernels
