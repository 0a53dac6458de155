// resize: pictures in another size, antialiased.
//
// | takes | layout, type | channels | gives                                         |
// |-------|--------------|----------|-----------------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the size that the options ask for     |
//
// Grid, filters and weights are Pillow's: see ops/kernels/resize.h. Errors of a sample: sizes
// below 1.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/crop_regions.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice {

// Give height and width, or one of them (the other follows the picture's shape, rounded), or
// `shorter`: the length of the shorter side; the longer one follows, cut to whole pixels as
// torchvision does. 0 means not given.
struct ResizeOptions {
  Param<int> width = 0;
  Param<int> height = 0;
  Param<int> shorter = 0;
  Interpolation interpolation = Interpolation::bilinear;
};

// Throws BuildError when no size is given, or `shorter` together with another.
Value<Image> resize(Value<Image> image, const ResizeOptions& options);

namespace detail {
const OperatorPtr& resize_operator();
// The size of what is made of a picture of height x width; 0 is not given.
kernels::ImageSize resized_size(int height, int width, int to_height, int to_width, int shorter);
}  // namespace detail

}  // namespace sluice
