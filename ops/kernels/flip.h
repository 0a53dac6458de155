// flip: left and right exchanged (`horizontal`), top and bottom exchanged (`vertical`), or both.
//
// Errors: std::invalid_argument for an empty image or more than 4 channels.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Neither gives a copy.
void flip(const Image& in, bool horizontal, bool vertical, Image& out);

}  // namespace sluice::kernels
