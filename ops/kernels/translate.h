// translate: moves an image to the right by x and down by y; its size does not change. Fractions of
// a pixel are blended, or rounded with `nearest`. For pixels and errors see warp_affine.h. Threads:
// any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Returns the map from the pixels of a moved image of this size to their source. `relative`: x and
// y are shares of the width and the height, else pixels.
AffineMap translate_map(int height, int width, double x, double y, bool relative);

void translate(const Image& in, double x, double y, bool relative, const WarpOptions& options,
               Image& out);

}  // namespace sluice::kernels
