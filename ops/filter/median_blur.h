// median_blur: pictures without specks.
//
// | takes              | layout, type | channels | gives             |
// |--------------------|--------------|----------|-------------------|
// | Image, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/median_blur.h. Errors of a sample: a window size that is not possible.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct MedianBlurOptions {
  Param<int> window_size = 3;  // 3 or 5; the side of the square
};

Value<Image> median_blur(Value<Image> image, const MedianBlurOptions& options = {});

namespace detail {
const OperatorPtr& median_blur_operator();
}  // namespace detail

}  // namespace sluice
