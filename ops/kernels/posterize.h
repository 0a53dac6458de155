// posterize: keeps only the upper bits of each pixel value.
//
//   out = x & mask, where mask has the upper `bits` of 8 bits
//
// As in torchvision and Pillow, for all channels.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, bits outside 1 .. 8.
// Threads: any.
#pragma once

#include <sluice/ops/kernels/level_table.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

LevelTable posterize_table(int bits);
void posterize(const Image& in, int bits, Image& out);

}  // namespace sluice::kernels
