// box_blur: each pixel becomes the mean of a square around it.
//
// Borders are reflected and do not repeat the outermost pixel. The result is within 1 level of the
// mean, rounded: see separable_blur.h.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or a window that is even
// or not in 1 .. 255. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void box_blur(const Image& in, int window_size, Image& out);

}  // namespace sluice::kernels
