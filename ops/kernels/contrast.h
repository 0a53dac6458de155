// contrast: moves pixel values away from the image's mean, or towards it.
//
//   out = clamp(factor * x + (1 - factor) * mean, 0, 255), rounded to nearest
//
// The pivot is the mean luma (luma.h) of the image, as in torchvision and Pillow;
// brightness_contrast has one pivot for all images. The mean keeps its fraction, which Pillow
// rounds. One pass computes the mean, one the pixel values. A fourth channel is not changed.
// Computed in double precision; halves round up.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels, a factor that
// is below zero or not finite. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void contrast(const Image& in, float factor, Image& out);

}  // namespace sluice::kernels
