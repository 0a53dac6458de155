// translate: a picture moved to the right by x and down by y; its size stays. Parts of a pixel are
// blended, or, with `nearest`, rounded. Pixels: see warp_affine.h, whose errors are these.
// Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Where the pixels of a moved picture of this size come from. `relative`: x and y are shares of the
// width and the height, else pixels.
AffineMap translate_map(int height, int width, double x, double y, bool relative);

void translate(const Image& in, double x, double y, bool relative, const WarpOptions& options,
               Image& out);

}  // namespace sluice::kernels
