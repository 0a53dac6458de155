// sharpness: pictures sharpened or smoothed.
//
// | takes         | layout, type | channels | gives             |
// |---------------|--------------|----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The formula is Pillow's and torchvision's: see ops/kernels/sharpness.h. Errors of a sample: a
// factor that is not possible.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

// 0 smooths, 1 changes nothing, 2 sharpens.
Value<Image> sharpness(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& sharpness_operator();
}  // namespace detail

}  // namespace sluice
