// The color matrix between two different pixel formats: see color_space_conversion.h. Defined in
// color_space_conversion.cpp. Internal. Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/color_space_conversion.h>
#include <sluice/ops/kernels/colour_matrix.h>

namespace sluice::kernels {

ColourMatrix color_space_matrix(PixelFormat from, PixelFormat to);

}  // namespace sluice::kernels
