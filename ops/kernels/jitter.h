// jitter: replaces each pixel by a random one from a window around it.
//
// Rows and columns are uniform in the window; positions beyond the border use the nearest pixel.
// Takes two draws per pixel, row by row: first for the row, then for the column.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, and a window that is even
// or outside of 1 .. kLargestJitterWindow. Threads: any.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

namespace sluice::kernels {

inline constexpr int kLargestJitterWindow = 255;
void check_jitter_window(int window_size);

void jitter(Random& random, const Image& in, int window_size, Image& out);

}  // namespace sluice::kernels
