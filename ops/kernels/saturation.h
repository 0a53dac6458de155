// saturation: moves colors away from the gray of the same luma, or towards it.
//
//   out = clamp(factor * x + (1 - factor) * luma, 0, 255), rounded to nearest
//   luma = (19595 R + 38470 G + 7471 B) / 65536
//
// 0 makes the image gray, 1 changes nothing. torchvision and Pillow round luma to a whole number
// first and truncate the result, so their results differ by 1, or by 2 if the factor is far from 1.
// It is one color matrix (colour_matrix.h). An image of one channel is copied; a fourth channel is
// not changed.
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
