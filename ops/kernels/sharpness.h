// sharpness: a picture sharpened or smoothed, as Pillow and torchvision do it.
//
// smooth = the mean by [1 1 1; 1 5 1; 1 1 1] / 13, rounded to 8 bits; each level x becomes
// smooth + factor * (x - smooth), rounded to nearest (Pillow cuts off, so it may be lower by 1) and
// cut to 0 .. 255. 0 smooths, 1 changes nothing, 2 sharpens. Pixels on the border stay what they
// are.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or a factor outside of 0
// .. kLargestSharpness. Threads: any.
#pragma once

#include <sluice/ops/kernels/sharpness_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

inline constexpr float kLargestSharpness = 100;

// As the inner loop wants it. Throws for one out of range.
FixedFactor sharpness_factor(float factor);

void sharpness(const Image& in, float factor, Image& out);

}  // namespace sluice::kernels
