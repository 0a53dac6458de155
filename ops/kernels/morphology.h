// dilate and erode: each level becomes the largest, or the smallest, of those in a window around
// it, in each channel on its own. Pixels beyond the border do not count.
//
// Of a window of `size` the pixel is number size / 2, counted from 0, as OpenCV has it.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, and a side of the window
// outside of 1 .. kLargestMorphologyWindow. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

inline constexpr int kLargestMorphologyWindow = 255;

struct MorphologyWindow {
  int height = 3, width = 3;
};

// What dilate() and erode() refuse, with the name `op`.
void check_morphology(const char* op, const Image& in, const MorphologyWindow& window);

void dilate(const Image& in, const MorphologyWindow& window, Image& out);
void erode(const Image& in, const MorphologyWindow& window, Image& out);

}  // namespace sluice::kernels
