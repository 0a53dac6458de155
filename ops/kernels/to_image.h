// to_image: converts a tensor of numbers to an image.
//
// Errors: std::invalid_argument for a shape that is not an image's, for NaN, and as described
// below. Threads: any.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

namespace sluice::kernels {

// `in`: (height, width) for a gray image; (channels, height, width) if its layout is CHW; else
// (height, width, channels). It has 1 to 4 channels, and no size is 0. A number is multiplied by
// 255 / `white`, rounded to the nearest integer, halves up, and clipped to 0 and 255. A bool counts
// as 0 or 1.
void to_image(const Tensor& in, Image& out, float white = 255);

// Throws std::invalid_argument if no number is above 1 and one is a fraction. The image would be
// black, so the numbers are probably from 0 to 1, and the caller must pass `white`.
void require_levels(const Tensor& in);

}  // namespace sluice::kernels
