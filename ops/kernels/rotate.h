// rotate: a picture turned counter-clockwise.
//
// The geometry is Pillow's: the picture turns about its centre (width / 2, height / 2), in
// coordinates where pixel (x, y) covers [x, x + 1) x [y, y + 1). The canvas grows to hold all of it
// (ceil of the largest minus floor of the smallest coordinate of the turned corners) or keeps its
// size. An output pixel looks up the place that its centre comes from; a place outside of the
// picture gives the fill; else `nearest` takes the pixel there and `bilinear` blends the four
// around it, those beyond the border replaced by the nearest pixel. Results are rounded to nearest
// (Pillow cuts off, so it may be lower by 1). Multiples of 90 degrees move whole pixels, except
// quarter turns which keep the size of a picture that is not square.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, an angle that is not
// finite or another interpolation. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

struct RotateOptions {
  bool keep_size = false;
  Fill fill = 0;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
};

void rotate(const Image& in, float degrees, const RotateOptions& options, Image& out);

}  // namespace sluice::kernels
