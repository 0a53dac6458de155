// autocontrast: each channel stretched, so that it goes from 0 to 255.
//
//   out = (x - lowest) * 255 / (highest - lowest), cut off to a whole number
//
// As torchvision and Pillow do it, which cut off the same number of floating point: so levels
// differ by at most 1, where that is not quite whole. A channel of one level stays as it is, and so
// does a fourth channel. One pass for the lowest and highest levels, one for the table.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void autocontrast(const Image& in, Image& out);

}  // namespace sluice::kernels
