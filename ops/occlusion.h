// Operators that cover parts of an image.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>

namespace sluice {

// erase: a rectangle of a picture gets a colour; random_erasing: a random one, or none.
//
// clang-format off
// | operator              | takes            | gives
// |-----------------------|------------------|---------------------------------------------------
// | erase                 | Image, Rectangle | Image, same shape, HWC, 8 bit, 1 to 4 channels
// | erase                 | Image, numbers   | the same
// | random_erasing_region | Image            | Rectangle inside the picture, or an empty one
// | random_erasing        | Image            | Image, as erase
// clang-format on
//
// Rectangles are cut to the picture; an empty one erases nothing. Random ones are drawn as
// torchvision's RandomErasing does it: see ops/kernels/erase.h.
struct EraseRegionOptions {
  Param<Fill> fill = 0;
};
Value<Image> erase(Value<Image> image, Param<Rectangle> region,
                   const EraseRegionOptions& options = {});

struct EraseOptions {
  Param<float> y = 0.f;  // the upper left corner
  Param<float> x = 0.f;
  Param<float> height = 0.f;
  Param<float> width = 0.f;
  bool normalized = false;  // in parts of the picture's height and width, not in pixels
  bool centered = false;    // y and x are those of the middle
  Param<Fill> fill = 0;
};
Value<Image> erase(Value<Image> image, const EraseOptions& options);

struct RandomErasingOptions {
  Param<float> probability = 0.5f;
  float min_area = 0.02f;  // of the picture, above 0 up to 1
  float max_area = 0.33f;
  float min_ratio = 0.3f;  // height / width, above 0
  float max_ratio = 3.3f;
  Param<Fill> fill = 0;
};
Value<Rectangle> random_erasing_region(Value<Image> image,
                                       const RandomErasingOptions& options = {});
Value<Image> random_erasing(Value<Image> image, const RandomErasingOptions& options = {});

namespace detail {
const OperatorPtr& erase_operator();
const OperatorPtr& erase_region_operator();
const OperatorPtr& random_erasing_region_operator();
OperatorSchema random_erasing_schema();
}  // namespace detail

// grid_mask: squares of a regular grid get a colour.
//
// | takes          | layout, type | channels | gives             |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/grid_mask.h.
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
