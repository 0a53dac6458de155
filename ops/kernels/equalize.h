// equalize: equalizes the histogram of each channel.
//
//   step  = (pixels - those of the highest value that occurs) / 255
//   out   = min(255, (pixels below x + step / 2) / step), all in whole numbers
//
// Pillow's table, bit for bit, and so torchvision's. A channel with a single value, or with too few
// pixels for a step of 1, is not changed; neither is a fourth channel. One pass counts the values,
// one maps them.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void equalize(const Image& in, Image& out);

}  // namespace sluice::kernels
