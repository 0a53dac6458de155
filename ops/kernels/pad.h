// pad: adds a margin to each side of an image. It has one color, repeats the edge pixel, or mirrors
// the image about the center of its outermost pixels (c b | a b c | b a; OpenCV's reflect-101), as
// often as the margin needs.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a margin below 0 or a
// size above 65535. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

struct Margins {
  int left = 0, top = 0, right = 0, bottom = 0;
};

void pad(const Image& in, const Margins& margins, Border border, const Fill& fill, Image& out);

// Returns the margins, extended to the right and the bottom so that an image of this size reaches
// height x width. 0: no minimum.
Margins margins_up_to(const Margins& least, int in_height, int in_width, int height, int width);

}  // namespace sluice::kernels
