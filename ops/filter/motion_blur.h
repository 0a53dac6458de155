// motion_blur: pictures as a moving camera takes them.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/motion_blur.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct MotionBlurOptions {
  Param<int> length = 9;       // pixels, up to 255
  Param<float> degrees = 0.f;  // counter-clockwise; 0 moves along the rows
};

Value<Image> motion_blur(Value<Image> image, const MotionBlurOptions& options);

namespace detail {
const OperatorPtr& motion_blur_operator();
}  // namespace detail

}  // namespace sluice
