// paste: one picture laid on another one, at a place that may lie partly or wholly outside.
//
// A level becomes base + (patch - base) * w / 255, rounded to nearest, where w is 255 alpha, or,
// with a mask, alpha times the mask's level there, rounded to nearest as well.
//
// Errors: std::invalid_argument for empty images, more than 4 channels, a patch whose channels are
// not those of the picture, an alpha outside of 0 .. 1, and a mask that has not the patch's size
// and one channel. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

// The patch's upper left corner, in the picture's coordinates, and how much of it is seen.
struct PastePlace {
  int y = 0, x = 0;
  float alpha = 1;
};

// `mask` may be null. What paste() refuses.
void check_paste(const Image& in, const Image& patch, const Image* mask, float alpha);
void paste(const Image& in, const Image& patch, const Image* mask, const PastePlace& place,
           Image& out);

}  // namespace sluice::kernels
