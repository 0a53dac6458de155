// warp_affine: a picture whose pixels stand where an affine map of the output's places leads; and
// what shear and translate share with it.
//
// Places are in coordinates where pixel (x, y) covers [x, x + 1) x [y, y + 1), as Pillow's and
// DALI's are; OpenCV's are half a pixel less. Each output pixel looks up the place that the map
// gives for its centre: see WarpOptions. Places are rounded to 2^-32 pixels, weights to 2^-11.
//
// Errors: std::invalid_argument, with the name `op`, for an empty image, more than 4 channels, a
// size that is not possible, another interpolation or border, numbers that are not finite, and a
// map that leads farther than kFarthest pixels away. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

void warp_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                 const WarpOptions& options, Image& out);

// What warp_affine() refuses.
void check_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                  const WarpOptions& options);
// The same, but for what it refuses of the picture's pixels.
void check_affine(const char* op, int in_height, int in_width, const AffineMap& from, int height,
                  int width, const WarpOptions& options);

// The map that leads back. Throws for one that brings the picture down to a line or a point.
AffineMap inverse(const char* op, const AffineMap& map);

}  // namespace sluice::kernels
