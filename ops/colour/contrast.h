// contrast: levels drawn away from the picture's mean luma, or towards it.
//
// | takes         | layout, type | channels  | gives             |
// |---------------|--------------|-----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// 0 leaves the mean alone everywhere, 1 changes nothing. The pivot is the picture's own, as in
// torchvision and Pillow; brightness_contrast has a level for all pictures, as DALI's contrast. A
// fourth channel stays as it is. See ops/kernels/contrast.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> contrast(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& contrast_operator();
}  // namespace detail

}  // namespace sluice
