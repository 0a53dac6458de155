// expand: places an image on a larger canvas of one color, like SSD's zoom-out.
//
// The canvas is `ratio` times as high and as wide, rounded to nearest. y and x are the shares of
// the free rows and columns above and left of the image, also rounded to nearest.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a ratio below 1, a
// position outside 0 .. 1 and a canvas of more than 65535 pixels on a side. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

struct ExpandParams {
  float ratio = 2;
  float y = 0.5f, x = 0.5f;
};

struct Expanded {
  ImageSize canvas;
  Rectangle picture;  // its position on the canvas
};
Expanded expanded(const ExpandParams& params, int height, int width);

void expand(const Image& in, const ExpandParams& params, const Fill& fill, Image& out);

}  // namespace sluice::kernels
