// rotate: rotates an image counter-clockwise.
//
// The geometry is Pillow's. The image rotates about its center (width / 2, height / 2), where pixel
// (x, y) covers [x, x + 1) x [y, y + 1). The canvas grows to hold all of it (ceil of the largest
// minus floor of the smallest coordinate of the rotated corners) or keeps its size. An output pixel
// samples the input at the position that its center comes from. Positions outside the image get the
// fill. Otherwise `nearest` takes the pixel there and `bilinear` interpolates the four around it;
// those beyond the border are replaced by the nearest pixel. Results are rounded to nearest; Pillow
// truncates, so its results may be lower by 1. Multiples of 90 degrees move whole pixels, except
// quarter turns that keep the size of a non-square image.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, an angle that is not
// finite or an unsupported interpolation. Threads: any.
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
