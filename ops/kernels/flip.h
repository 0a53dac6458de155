// flip: mirrors an image horizontally, vertically or both.
//
// Errors: std::invalid_argument for an empty image or more than 4 channels.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Copies the image if both are false.
void flip(const Image& in, bool horizontal, bool vertical, Image& out);

}  // namespace sluice::kernels
