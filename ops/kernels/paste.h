// paste: pastes one image onto another, at a position that may lie partly or wholly outside.
//
// A pixel value becomes base + (patch - base) * w / 255, rounded to nearest. w is 255 alpha, or,
// with a mask, alpha times the mask's value there, also rounded to nearest.
//
// Errors: std::invalid_argument for empty images, more than 4 channels, a patch whose channels
// differ from the image's, an alpha outside 0 .. 1, and a mask that does not have the patch's size
// and one channel. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

// The patch's upper left corner in image coordinates, and its opacity.
struct PastePlace {
  int y = 0, x = 0;
  float alpha = 1;
};

// `mask` may be null. Throws the errors of paste().
void check_paste(const Image& in, const Image& patch, const Image* mask, float alpha);
void paste(const Image& in, const Image& patch, const Image* mask, const PastePlace& place,
           Image& out);

}  // namespace sluice::kernels
