// sharpness: sharpens or smooths an image, like Pillow and torchvision.
//
// smooth is the mean by [1 1 1; 1 5 1; 1 1 1] / 13, rounded to 8 bits. Each value x becomes
// smooth + factor * (x - smooth), rounded to nearest and clipped to 0 .. 255. Pillow truncates, so
// its result may be lower by 1. 0 smooths, 1 changes nothing, 2 sharpens. Pixels on the border are
// not changed.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or a factor outside 0 ..
// kLargestSharpness. Threads: any.
#pragma once

#include <sluice/ops/kernels/sharpness_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

inline constexpr float kLargestSharpness = 100;

// Converts a factor for the inner loop. Throws if it is out of range.
FixedFactor sharpness_factor(float factor);

void sharpness(const Image& in, float factor, Image& out);

}  // namespace sluice::kernels
