// resize: resizes an image, or a part of one, with antialiasing. Also downscale, and the
// computation of a resize's region and size.
//
// The grid and the filters are Pillow's. Along each axis, with s = (input length) / (output
// length), output pixel i has its center at (i + 0.5) * s. The filter is widened by max(1, s). Its
// weights are cut off at the border of the input and scaled to sum to 1 again. The horizontal pass
// comes first and its result is rounded to 8 bits, then the vertical pass. An axis of unchanged
// length is skipped. Filters (half width at s <= 1): box 0.5, bilinear 1, hamming 1, bicubic 2 (a =
// -0.5), lanczos 3. `nearest` takes the pixel at the center, floor((i + 0.5) * s), without
// antialiasing. (Pillow 13 goes vertically first when it shrinks the height much more than the
// width; earlier releases, and resizing one axis after the other, agree with this kernel.)
//
// The border of the input is the border of the image that is passed in: a view on a crop never
// reads outside the crop. A box only selects what the output shows; the filter also reads pixels
// around it, like Pillow's `box`. Weights have 14 to 21 bits: compared to exact weights a value
// differs by at most 1, or by 2 in a few of a million.
//
// Threads: any; each has its own tables that only grow, so a warm thread allocates nothing except
// the output. Errors: std::invalid_argument.
#pragma once

#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice::kernels {

// A rectangle with fractional edges: y and x are its upper left corner, relative to that of the
// image.
struct Box {
  double y = 0;
  double x = 0;
  double height = 0;
  double width = 0;
};

// `in`: 1 to 4 channels, any row stride. `out`: height x width pixels with as many channels.
void resize(const Image& in, int height, int width, const ResizeFilter& filter, Image& out);
// Resizes the content of `box`, which must not be empty nor reach beyond the image.
void resize(const Image& in, const Box& box, int height, int width, const ResizeFilter& filter,
            Image& out);

// downscale: shrinks an image and enlarges it back to its size, which loses detail.
//
// The sides of the small image are `scale` times those of the image, rounded to nearest, and at
// least one pixel. The filter shrinks the image; `nearest` enlarges it.
//
// Errors: an empty image, more than 4 channels, a scale that is not above 0 and at most 1.

// Returns the size of the small image.
ImageSize downscaled_size(int height, int width, float scale);
void downscale(const Image& in, float scale, const ResizeFilter& filter, Image& out);

// The part of an image that a resize shows, and the size of the result.
//
// Sizes that are not given follow from the shown part. Sizes are rounded to nearest, except that
// the longer side of `shorter` is rounded down, as in torchvision. The modes are DALI's, without
// its shift of the part by less than a pixel (subpixel_scale).
//
// Errors: std::invalid_argument for a part that is empty or reaches beyond the image. The result
// may be an invalid size; the resizing kernel then throws.

// Numbers that are 0 are not given.
struct ResizeRequest {
  int height = 0, width = 0;
  int shorter = 0;  // instead of both
  ResizeMode mode = ResizeMode::as_given;
  int max_size = 0;  // of either side
  // The part of the image, in pixels or, if `relative`, as shares of its sides. Without an end, it
  // reaches to the end of the image.
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
