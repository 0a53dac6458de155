// autocontrast: each channel stretched, so that it goes from 0 to 255.
//
// | takes | layout, type | channels  | gives             |
// |-------|--------------|-----------|-------------------|
// | Image | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// As torchvision and Pillow do it. A channel of one level, and a fourth channel, stay as they are.
// See ops/kernels/autocontrast.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> autocontrast(Value<Image> image);

namespace detail {
const OperatorPtr& autocontrast_operator();
}  // namespace detail

}  // namespace sluice
