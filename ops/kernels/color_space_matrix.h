// The colour matrix between two formats of pixels that differ: see color_space_conversion.h, in
// whose .cpp it is. Internal. Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/color_space_conversion.h>
#include <sluice/ops/kernels/colour_matrix.h>

namespace sluice::kernels {

ColourMatrix color_space_matrix(PixelFormat from, PixelFormat to);

}  // namespace sluice::kernels
