// grid_mask: squares of a regular grid get a colour.
//
// | takes          | layout, type | channels | gives             |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/grid_mask.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct GridMaskOptions {
  Param<int> tile = 100;       // pixels from one square to the next
  Param<float> ratio = 0.5f;   // the side of a square, as a part of the tile's
  Param<float> degrees = 0.f;  // counter-clockwise about the upper left pixel
  Param<float> shift_x = 0.f;  // in pixels
  Param<float> shift_y = 0.f;
  Param<Fill> fill = 0;
};

Value<Image> grid_mask(Value<Image> image, const GridMaskOptions& options = {});

namespace detail {
const OperatorPtr& grid_mask_operator();
}  // namespace detail

}  // namespace sluice
