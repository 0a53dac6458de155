// solarize: inverts all pixel values from a threshold on.
//
//   out = x >= threshold ? 255 - x : x
//
// As in torchvision and Pillow, for all channels. 0 inverts all values, 256 none.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a threshold outside
// 0 .. 256. Threads: any.
#pragma once

#include <sluice/ops/kernels/level_table.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

LevelTable solarize_table(float threshold);
void solarize(const Image& in, float threshold, Image& out);

}  // namespace sluice::kernels
