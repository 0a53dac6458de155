// flip: left and right, or top and bottom, exchanged.
//
// | takes | layout, type | channels | gives             |
// |-------|--------------|----------|-------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, same shape |
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct FlipOptions {
  Param<bool> horizontal = true;
  Param<bool> vertical = false;
};

Value<Image> flip(Value<Image> image, const FlipOptions& options = {});

namespace detail {
const OperatorPtr& flip_operator();
}  // namespace detail

}  // namespace sluice
