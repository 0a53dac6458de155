// shear: pictures whose rows slide along each other, or their columns.
//
// | takes       | layout, type | channels | gives             |
// |-------------|--------------|----------|-------------------|
// | Image, x, y | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// The sense of x and y: see ops/kernels/shear.h. Errors of a sample: x * y of 1.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct ShearOptions {
  Param<float> x = 0.f, y = 0.f;                          // the tangent of the angle
  Param<float> center_x = 0.f, center_y = 0.f;            // 0.5 is the middle of the picture
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// Throws BuildError for constants x and y whose product is 1.
Value<Image> shear(Value<Image> image, const ShearOptions& options);

namespace detail {
const OperatorPtr& shear_operator();
}  // namespace detail

}  // namespace sluice
