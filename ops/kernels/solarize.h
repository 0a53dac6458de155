// solarize: levels from a threshold on are inverted.
//
//   out = x >= threshold ? 255 - x : x
//
// As torchvision and Pillow do it, in all channels. 0 inverts all levels, 256 none.
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
