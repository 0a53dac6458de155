// color_twist: brightness, contrast, saturation and hue in one step.
//
// | takes              | layout, type | channels  | gives             |
// |--------------------|--------------|-----------|-------------------|
// | Image, the options | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// DALI's matrix: the contrast is about the level 128, and hues are turned linearly in YIQ. The
// order is fixed: saturation and hue, then contrast, then brightness; levels are cut off only once,
// at the end. A fourth channel stays as it is. See ops/kernels/color_twist.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct ColorTwistOptions {
  Param<float> brightness = 1.f;
  Param<float> contrast = 1.f;
  Param<float> saturation = 1.f;
  Param<float> hue = 0.f;  // degrees
};

Value<Image> color_twist(Value<Image> image, const ColorTwistOptions& options);

namespace detail {
const OperatorPtr& color_twist_operator();
}  // namespace detail

}  // namespace sluice
