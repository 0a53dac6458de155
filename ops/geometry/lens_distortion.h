// lens_distortion: pictures as simple lenses make them, lines bent inwards or outwards.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/lens_distortion.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct LensDistortionOptions {
  Param<float> k1 = 0.f, k2 = 0.f;  // of r^2 and r^4, where r is 1 at the corners
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> lens_distortion(Value<Image> image, const LensDistortionOptions& options);

namespace detail {
const OperatorPtr& lens_distortion_operator();
}  // namespace detail

}  // namespace sluice
