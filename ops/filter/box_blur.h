// box_blur: pictures blurred by the mean of a square.
//
// | takes              | layout, type | channels | gives             |
// |--------------------|--------------|----------|-------------------|
// | Image, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/box_blur.h. Errors of a sample: a window size that is not possible.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct BoxBlurOptions {
  Param<int> window_size = 3;  // odd; the side of the square
};

Value<Image> box_blur(Value<Image> image, const BoxBlurOptions& options = {});

namespace detail {
const OperatorPtr& box_blur_operator();
}  // namespace detail

}  // namespace sluice
