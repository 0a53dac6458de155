// perspective and warp_perspective: pictures from another point of view.
//
// | takes         | layout, type | channels | gives                                    |
// |---------------|--------------|----------|------------------------------------------|
// | Image, points | HWC, 8 bit   | 1 to 4   | Image of the same size                   |
// | Image, matrix | HWC, 8 bit   | 1 to 4   | Image of the size asked for, or its own   |
//
// Pixels: see ops/kernels/perspective.h. Errors of a sample: three points on a line.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice {

// Four places in the picture, in pixels, where pixel (x, y) covers [x, x + 1) x [y, y + 1).
struct Corners {
  Param<float> top_left_x = 0.f, top_left_y = 0.f;
  Param<float> top_right_x = 0.f, top_right_y = 0.f;
  Param<float> bottom_right_x = 0.f, bottom_right_y = 0.f;
  Param<float> bottom_left_x = 0.f, bottom_left_y = 0.f;
};

struct PerspectiveOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// What stands at the corners `from` comes to those of `to`.
Value<Image> perspective(Value<Image> image, const Corners& from, const Corners& to,
                         const PerspectiveOptions& options = {});

// Of place (x, y) it makes ((xx x + xy y + x0) / w, (yx x + yy y + y0) / w), where w is
// wx x + wy y + w0.
struct PerspectiveMatrix {
  Param<float> xx = 1.f, xy = 0.f, x0 = 0.f;
  Param<float> yx = 0.f, yy = 1.f, y0 = 0.f;
  Param<float> wx = 0.f, wy = 0.f, w0 = 1.f;
};

struct WarpPerspectiveOptions {
  Param<int> width = 0, height = 0;  // 0: the input's
  Interpolation interpolation = Interpolation::bilinear;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

// The matrix makes places of the input of those of the output.
Value<Image> warp_perspective(Value<Image> image, const PerspectiveMatrix& matrix,
                              const WarpPerspectiveOptions& options = {});

namespace detail {
const OperatorPtr& perspective_operator();
const OperatorPtr& warp_perspective_operator();
}  // namespace detail

}  // namespace sluice
