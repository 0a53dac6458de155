// warp_affine: applies an affine map from output to input positions; also code shared with shear
// and translate.
//
// Pixel (x, y) covers [x, x + 1) x [y, y + 1), as in Pillow and DALI; OpenCV's coordinates are half
// a pixel less. Each output pixel samples the input at the position to which the map takes its
// center: see WarpOptions. Positions are rounded to 2^-32 pixels, weights to 2^-11.
//
// Errors: std::invalid_argument, with the name `op`, for an empty image, more than 4 channels, an
// invalid size, an unsupported interpolation or border, numbers that are not finite, and a map that
// leads farther than kFarthest pixels away. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

void warp_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                 const WarpOptions& options, Image& out);

// Throws the errors of warp_affine().
void check_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                  const WarpOptions& options);
// The same without the checks of the image's pixels.
void check_affine(const char* op, int in_height, int in_width, const AffineMap& from, int height,
                  int width, const WarpOptions& options);

// Returns the inverse map. Throws if the map collapses the image to a line or a point.
AffineMap inverse(const char* op, const AffineMap& map);

}  // namespace sluice::kernels
