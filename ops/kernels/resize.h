// resize: a picture, or a part of one, in another size, antialiased.
//
// The grid and the filters are Pillow's. Per axis, with s = (input length) / (output length),
// output pixel i has its centre at (i + 0.5) * s; the filter is widened by max(1, s), its weights
// are cut off at the border of the input and made to sum to 1 again. The horizontal pass comes
// first and its result is rounded to 8 bits, then the vertical pass. An axis that keeps its length
// is left alone. Filters (half width at s <= 1): box 0.5, bilinear 1, hamming 1, bicubic 2
// (a = -0.5), lanczos 3. `nearest` takes the pixel at the centre, floor((i + 0.5) * s), without
// antialiasing. (Pillow 13 goes vertically first when it shrinks the height much more than the
// width; earlier releases, and one axis after the other, agree with this kernel.)
//
// The border of the input is the border of the image that is passed in: a view on a crop never
// reads outside the crop. A box only says what the output shows: the filter reads what lies around
// it, too (as Pillow's `box` does). Weights have 14 to 21 bits: against exact weights a value
// differs by at most 1, by 2 in a few of a million.
//
// Threads: any; each has tables of its own that only grow, so a warm thread allocates nothing but
// the output. Errors: std::invalid_argument.
#pragma once

#include <sluice/ops/kernels/resize_filter.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// A rectangle whose edges may lie within pixels: y and x are those of its upper left corner,
// counted from that of the picture.
struct Box {
  double y = 0;
  double x = 0;
  double height = 0;
  double width = 0;
};

// `in`: 1 to 4 channels, any row stride. `out`: height x width pixels with as many channels.
void resize(const Image& in, int height, int width, const ResizeFilter& filter, Image& out);
// The same of what lies in `box`, which must not be empty nor reach beyond the picture.
void resize(const Image& in, const Box& box, int height, int width, const ResizeFilter& filter,
            Image& out);

}  // namespace sluice::kernels
