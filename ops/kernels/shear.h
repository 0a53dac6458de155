// shear: slides the rows or the columns of an image along each other.
//
// The point at (dx, dy) from the center moves to (dx + x dy, dy + y dx), as in DALI's
// transforms.shear; torchvision's angle has the opposite sign. The size does not change. For pixels
// see warp_affine.h.
//
// Errors: those of warp_affine, and std::invalid_argument for x * y = 1, which would collapse the
// image to a line. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

struct Shear {
  double x = 0, y = 0;                // tangent of the angle: pixels per pixel across
  double center_x = 0, center_y = 0;  // the fixed point, as shares of width and height
};

// Returns the map from the pixels of a sheared image of this size to their source.
AffineMap shear_map(int height, int width, const Shear& how);

void shear(const Image& in, const Shear& how, const WarpOptions& options, Image& out);

}  // namespace sluice::kernels
