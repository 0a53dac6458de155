// filter_2d: replaces each pixel value by a weighted sum of those around it, per channel.
//
// The window is not flipped (a correlation, like OpenCV's filter2D). Borders are reflected without
// repeating the outermost pixel. Sums are computed in float; results are rounded to nearest and
// clipped to 0 .. 255.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a window that is even or
// larger than 7 x 7, and weights beyond kLargestWeight. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

#include <array>

namespace sluice::kernels {

inline constexpr int kLargestFilter = 7;
inline constexpr float kLargestWeight = 1e6f;

struct FilterWeights {
  int rows = 3;
  int columns = 3;
  // Row by row; the first rows * columns count.
  std::array<float, kLargestFilter * kLargestFilter> weights{};
};
void check_filter(const FilterWeights& filter);

void filter_2d(const Image& in, const FilterWeights& filter, Image& out);

}  // namespace sluice::kernels
