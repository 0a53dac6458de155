// hue: colours turned round the circle of hues.
//
// | takes          | layout, type | channels  | gives             |
// |----------------|--------------|-----------|-------------------|
// | Image, degrees | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// By HSV, as torchvision's adjust_hue, whose factor is degrees / 360; any finite number.
// color_twist turns hues linearly, as DALI does. A picture of one channel, and a fourth channel,
// stay as they are. See ops/kernels/hue.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> hue(Value<Image> image, Param<float> degrees);

namespace detail {
const OperatorPtr& hue_operator();
}  // namespace detail

}  // namespace sluice
