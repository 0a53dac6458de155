// turn_of: returns the source map and the canvas size of a rotated image, for rotate and for boxes
// and points that rotate with it. The geometry is described in rotate.h. Internal.
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
