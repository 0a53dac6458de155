// shear: a picture whose rows slide along each other, or its columns.
//
// What lies at (dx, dy) from the centre goes to (dx + x dy, dy + y dx), which is what DALI's
// transforms.shear says; torchvision turns the sense of its angle round. The size stays. Pixels:
// see warp_affine.h.
//
// Errors: those of warp_affine, and std::invalid_argument for x * y = 1, which would leave a line.
// Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

struct Shear {
  double x = 0, y = 0;                // pixels for each pixel across: the tangent of the angle
  double center_x = 0, center_y = 0;  // what stays in place, as shares of width and height
};

// Where the pixels of a sheared picture of this size come from.
AffineMap shear_map(int height, int width, const Shear& how);

void shear(const Image& in, const Shear& how, const WarpOptions& options, Image& out);

}  // namespace sluice::kernels
