// turn_of: where the pixels of a rotated picture come from, and how large its canvas is: for
// rotate, and for what moves with the picture. The geometry is described in rotate.h. Internal.
//
// Errors: none; the angle is finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>

namespace sluice::kernels {

struct Turn {
  AffineMap from_canvas;
  int height = 0;
  int width = 0;
};
Turn turn_of(int height, int width, float degrees, bool keep_size);

}  // namespace sluice::kernels
