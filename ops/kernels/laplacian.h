// laplacian: computes the sum of the second derivatives along x and y.
//
// The window is OpenCV's: 1 is [0 1 0; 1 -4 1; 0 1 0]; 3, 5 and 7 add up Sobel's second derivatives
// of that size. Borders are reflected without repeating the outermost pixel. The sum times `scale`
// is rounded to nearest and clipped to 0 .. 255.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, any other window, and a
// scale out of range. Threads: any.
#pragma once

#include <sluice/ops/kernels/filter_2d.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

inline constexpr float kLargestLaplacianScale = 256;

FilterWeights laplacian_weights(int window_size, float scale);
void laplacian(const Image& in, int window_size, float scale, Image& out);

}  // namespace sluice::kernels
