// contrast: levels drawn away from the picture's mean, or towards it.
//
//   out = clamp(factor * x + (1 - factor) * mean, 0, 255), rounded to nearest
//
// The pivot is the mean luma (luma.h) of the picture, as torchvision and Pillow have it;
// brightness_contrast has a level for all pictures. The mean keeps its fraction, which Pillow
// rounds away. One pass for the mean, one for the levels. A fourth channel stays as it is. Computed
// in double precision; halves round up.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels, a factor that
// is below zero or not finite. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void contrast(const Image& in, float factor, Image& out);

}  // namespace sluice::kernels
