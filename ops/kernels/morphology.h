// dilate and erode: replace each pixel value by the largest, or the smallest, in a window around
// it, per channel. Pixels beyond the border do not count.
//
// In a window of `size` the pixel is at index size / 2, counted from 0, as in OpenCV.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, and a window side outside
// 1 .. kLargestMorphologyWindow. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

inline constexpr int kLargestMorphologyWindow = 255;

struct MorphologyWindow {
  int height = 3, width = 3;
};

// Throws the errors of dilate() and erode(), with the name `op`.
void check_morphology(const char* op, const Image& in, const MorphologyWindow& window);

void dilate(const Image& in, const MorphologyWindow& window, Image& out);
void erode(const Image& in, const MorphologyWindow& window, Image& out);

}  // namespace sluice::kernels
