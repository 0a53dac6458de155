// grayscale: converts colors to luma (luma.h), in one channel or three equal ones.
//
// Pillow's convert("L"), bit for bit. An image of one channel is already gray and is copied. A
// fourth channel is dropped.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels, an output of
// other than 1 or 3 channels. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void check_gray_channels(int channels);
void grayscale(const Image& in, int channels, Image& out);

}  // namespace sluice::kernels
