// saturation: colours drawn away from the gray of the same luma, or towards it.
//
//   out = clamp(factor * x + (1 - factor) * luma, 0, 255), rounded to nearest
//   luma = (19595 R + 38470 G + 7471 B) / 65536
//
// 0 makes the picture gray, 1 changes nothing. As torchvision and Pillow, which round luma to a
// whole number first and cut the result's fraction off: so levels differ by 1, or by 2 where the
// factor is far from 1. One colour matrix (colour_matrix.h). A picture of one channel is copied,
// and a fourth channel stays as it is.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels, a factor that
// is below zero or not finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

ColourMatrix saturation_matrix(float factor);
void saturation(const Image& in, float factor, Image& out);

}  // namespace sluice::kernels
