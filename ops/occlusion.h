// Operators that cover parts of an image.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

namespace sluice {

// coarse_dropout: fills several rectangles at random positions with a color or with noise.
//
// | takes          | layout, type | channels | returns           |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// All rectangles of an image have one size and lie inside the image; they may overlap. See
// ops/kernels/occlusion.h. Random numbers come from the sample's key.
struct CoarseDropoutOptions {
  Param<int> holes = 8;       // their number, 0 to 1000
  Param<float> height = 8.f;  // of each; at most the image's
  Param<float> width = 8.f;
  bool normalized = false;  // as shares of the image's height and width, not pixels
  Param<Fill> fill = 0;
  Param<float> noise =
      0.f;  // standard deviation of the normal noise around `fill`, in pixel values
};

Value<Image> coarse_dropout(Value<Image> image, const CoarseDropoutOptions& options = {});

namespace detail {
const OperatorPtr& coarse_dropout_operator();
}  // namespace detail

// erase: fills a rectangle of an image with a color or with noise. random_erasing: fills a random
// rectangle, or none.
//
// clang-format off
// | operator              | takes            | returns
// |-----------------------|------------------|---------------------------------------------------
// | erase                 | Image, Rectangle | Image, same shape, HWC, 8 bit, 1 to 4 channels
// | erase                 | Image, numbers   | the same
// | random_erasing_region | Image            | Rectangle inside the image, or an empty one
// | random_erasing        | Image            | Image, as erase
// clang-format on
//
// Rectangles are clipped to the image; an empty one erases nothing. Random ones are drawn like
// torchvision's RandomErasing: see ops/kernels/occlusion.h.
struct EraseRegionOptions {
  Param<Fill> fill = 0;
  Param<float> noise =
      0.f;  // standard deviation of the normal noise around `fill`, in pixel values
};
Value<Image> erase(Value<Image> image, Param<Rectangle> region,
                   const EraseRegionOptions& options = {});

struct EraseOptions {
  Param<float> y = 0.f;  // the upper left corner
  Param<float> x = 0.f;
  Param<float> height = 0.f;
  Param<float> width = 0.f;
  bool normalized = false;  // as shares of the image's height and width, not pixels
  bool centered = false;    // y and x are the center's
  Param<Fill> fill = 0;
};
Value<Image> erase(Value<Image> image, const EraseOptions& options);

struct RandomErasingOptions {
  Param<float> probability = 0.5f;
  float min_area = 0.02f;  // of the image, above 0 up to 1
  float max_area = 0.33f;
  float min_ratio = 0.3f;  // height / width, above 0
  float max_ratio = 3.3f;
  Param<Fill> fill = 0;
  Param<float> noise = 0.f;  // as for a region
};
Value<Rectangle> random_erasing_region(Value<Image> image,
                                       const RandomErasingOptions& options = {});
Value<Image> random_erasing(Value<Image> image, const RandomErasingOptions& options = {});

namespace detail {
const OperatorPtr& erase_operator();
const OperatorPtr& erase_region_operator();
const OperatorPtr& erase_with_noise_operator();
const OperatorPtr& random_erasing_region_operator();
OperatorSchema random_erasing_schema();
}  // namespace detail

// grid_mask: fills the squares of a regular grid with a color.
//
// | takes          | layout, type | channels | returns           |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/occlusion.h.
struct GridMaskOptions {
  Param<int> tile = 100;       // pixels from one square to the next
  Param<float> ratio = 0.5f;   // side of a square, as a share of the tile
  Param<float> degrees = 0.f;  // counter-clockwise about the upper left pixel
  Param<float> shift_y = 0.f;  // in pixels
  Param<float> shift_x = 0.f;
  Param<Fill> fill = 0;
};

Value<Image> grid_mask(Value<Image> image, const GridMaskOptions& options = {});

namespace detail {
const OperatorPtr& grid_mask_operator();
}  // namespace detail

}  // namespace sluice
