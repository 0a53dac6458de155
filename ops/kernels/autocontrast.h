// autocontrast: stretches each channel to the range 0 to 255.
//
//   out = (x - lowest) * 255 / (highest - lowest), truncated to a whole number
//
// As in torchvision and Pillow, which truncate the same value in floating point: results differ by
// at most 1 where that value is not quite whole. A channel with a single value, and a fourth
// channel, are not changed. One pass finds the lowest and highest values, one applies the table.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void autocontrast(const Image& in, Image& out);

}  // namespace sluice::kernels
