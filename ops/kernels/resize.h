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

#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

#include <cstdint>

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

namespace sluice {

// What a resize makes of a picture: which part of it, and in which size.
//
// Sizes that are not given follow from the part that is shown. Roundings are to nearest, but for
// `shorter`, whose longer side is cut off as torchvision does it. DALI's modes, without its shift
// of the part by less than a pixel (subpixel_scale).
//
// Errors: std::invalid_argument for a part that is empty or reaches beyond the picture. A size may
// come out that is not possible: whoever resizes says so. Threads: any.

// What height and width ask for.
//  - as_given: those sizes; one that is not given follows, so that the shape is kept.
//  - stretch: those sizes; one that is not given stays as it is.
//  - not_larger: the largest size of the same shape that exceeds neither.
//  - not_smaller: the smallest size of the same shape that falls short of neither.
enum class ResizeMode : std::uint8_t { as_given, stretch, not_larger, not_smaller };
const char* name_of(ResizeMode mode);

}  // namespace sluice

namespace sluice::kernels {

// Numbers that are 0 are not given.
struct ResizeRequest {
  int height = 0, width = 0;
  int shorter = 0;  // in place of them
  ResizeMode mode = ResizeMode::as_given;
  int max_size = 0;  // of either side
  // The part of the picture, in pixels or, if `relative`, as a share of its sides; without an end,
  // up to that of the picture.
  float roi_start_y = 0, roi_start_x = 0;
  float roi_end_y = 0, roi_end_x = 0;
  bool roi_relative = false;
};

struct ResizePlan {
  Box box;
  ImageSize size;
};
ResizePlan plan_resize(const ResizeRequest& request, int height, int width);

}  // namespace sluice::kernels
