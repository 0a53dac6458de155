// gaussian_blur: replaces each pixel by the mean of those around it, weighted by a Gaussian.
//
// The weight at distance i along an axis is exp(-i^2 / (2 sigma^2)), divided by the sum over the
// window. If only sigma is given, the window is 2 * ceil(3 sigma) + 1 pixels long. If only the
// window is given, sigma is 0.15 * window + 0.35. These are the formulas of DALI, torchvision and
// OpenCV. Borders are reflected without repeating the outermost pixel. The result is within 1 of
// the exact rounded sum: see separable_blur.h.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a sigma outside 0 ..
// kLargestSigma, a window that is even or longer than 255, and if neither is given. Threads: any.
#pragma once

#include <sluice/ops/kernels/separable_blur.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Its window is close to the longest one allowed.
inline constexpr float kLargestSigma = 42;

struct GaussianBlurParams {
  float sigma = 0;      // in pixels; 0: follows from the window
  float sigma_y = 0;    // along the columns; 0: the same as sigma
  int window_size = 0;  // odd, for both axes; 0: follows from sigma
};

// The two formulas.
int window_of_sigma(float sigma);
float sigma_of_window(int window_size);

// The windows and sigmas of both axes. Throws for parameters out of range.
struct GaussianWindows {
  int down = 1, across = 1;
  WeightOf weight_down, weight_across;
};
GaussianWindows gaussian_windows(const GaussianBlurParams& params);

void gaussian_blur(const Image& in, const GaussianBlurParams& params, Image& out);

}  // namespace sluice::kernels
