// pad: a picture with a margin on each side: of one colour, of the pixel at the edge, or of the
// picture itself mirrored at the middle of its outermost pixels (c b | a b c | b a; OpenCV's
// reflect-101), as often as the margin needs.
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

// The margins, and what a picture of this size then lacks of height x width: to the right and at
// the bottom. 0: it may have any.
Margins margins_up_to(const Margins& least, int in_height, int in_width, int height, int width);

}  // namespace sluice::kernels
