// brightness_contrast: pictures made brighter or darker, with more or less contrast.
//
// | takes                      | layout, type | channels | gives             |
// |----------------------------|--------------|----------|-------------------|
// | Image, brightness, contrast | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The formula stands in ops/kernels/brightness_contrast.h. 1 changes nothing; of brightness_shift,
// 0.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct BrightnessContrastOptions {
  Param<float> brightness = 1.f;
  Param<float> contrast = 1.f;
  Param<float> contrast_center = 128.f;  // the level that contrast leaves alone, 0 to 255
  Param<float> brightness_shift = 0.f;   // added at last; 1 makes black white
};

Value<Image> brightness_contrast(Value<Image> image, const BrightnessContrastOptions& options);

namespace detail {
const OperatorPtr& brightness_contrast_operator();
}  // namespace detail

}  // namespace sluice
