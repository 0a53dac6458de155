// saturation: stronger or paler colours.
//
// | takes         | layout, type | channels  | gives             |
// |---------------|--------------|-----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// 0 makes the picture gray, 1 changes nothing. Luma keeps its weights, as in torchvision and
// Pillow. A picture of one channel, and a fourth channel, stay as they are. See
// ops/kernels/saturation.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> saturation(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& saturation_operator();
}  // namespace detail

}  // namespace sluice
