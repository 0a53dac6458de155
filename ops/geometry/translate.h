// translate: pictures moved to the right and down; what leaves them is lost.
//
// | takes       | layout, type | channels | gives             |
// |-------------|--------------|----------|-------------------|
// | Image, x, y | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// Parts of a pixel are blended: see ops/kernels/translate.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct TranslateOptions {
  Param<float> x = 0.f, y = 0.f;
  bool relative = false;  // they are shares of the width and the height, not pixels
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> translate(Value<Image> image, const TranslateOptions& options);

namespace detail {
const OperatorPtr& translate_operator();
}  // namespace detail

}  // namespace sluice
