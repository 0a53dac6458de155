// resize: pictures in another size, antialiased unless it is turned off.
//
// | takes | layout, type | channels | gives                                         |
// |-------|--------------|----------|-----------------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the size that the options ask for     |
//
// Grid, filters and weights are Pillow's: see ops/kernels/resize.h; sizes: see
// ops/kernels/resize_plan.h. Errors of a sample: sizes below 1, and a region of interest that is
// empty or reaches beyond the picture.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/ops/kernels/resize_plan.h>
#include <sluice/runtime/image.h>

namespace sluice {

// Give height and width, or one of them: see ResizeMode; or `shorter`, the length of the shorter
// side: the longer one follows, cut to whole pixels as torchvision does. 0 means not given.
struct ResizeOptions {
  Param<int> width = 0;
  Param<int> height = 0;
  Param<int> shorter = 0;
  Interpolation interpolation = Interpolation::bilinear;
  ResizeMode mode = ResizeMode::as_given;
  // No side becomes longer. The shape is kept, unless height and width are both given as they
  // shall be.
  Param<int> max_size = 0;
  // The part of the picture that is shown, from start to end, in pixels and parts of them, or as
  // shares of the sides. The filter reads what lies around it, too. An end of 0 is the picture's.
  Param<float> roi_start_y = 0.f, roi_start_x = 0.f;
  Param<float> roi_end_y = 0.f, roi_end_x = 0.f;
  bool roi_relative = false;
  // Of a picture that becomes smaller, each pixel has a part. Without it, only those next to each
  // place: see ops/kernels/resize_filter.h.
  bool antialias = true;
};

// Throws BuildError when no size is given, or `shorter` together with another.
Value<Image> resize(Value<Image> image, const ResizeOptions& options);

namespace detail {
const OperatorPtr& resize_operator();
}  // namespace detail

}  // namespace sluice
