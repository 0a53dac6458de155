// median_blur: replaces each pixel value by the median of a square around it, per channel.
//
// Beyond the border, the outermost pixels are repeated, as in OpenCV.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or a window other than 3
// and 5. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Throws std::invalid_argument unless it is 3 or 5.
void check_median_window(int window_size);

void median_blur(const Image& in, int window_size, Image& out);

}  // namespace sluice::kernels
