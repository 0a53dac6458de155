// invert: each level x becomes 255 - x.
//
// | takes | layout, type | channels | gives             |
// |-------|--------------|----------|-------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, same shape |
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> invert(Value<Image> image);

namespace detail {
const OperatorPtr& invert_operator();
}  // namespace detail

}  // namespace sluice
