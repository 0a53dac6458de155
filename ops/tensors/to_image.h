// to_image: a tensor's numbers as the pixels of a picture, for what takes pictures.
//
//   auto darker = to_image(image * 0.5f + 10);
//
// | takes                                                       | gives                       |
// |-------------------------------------------------------------|-----------------------------|
// | a tensor of any type: (height, width), (height, width,      | Image of that size, HWC, u8 |
// | channels), or (channels, height, width) of the layout CHW   |                             |
//
// Numbers are levels from 0 to 255: they are rounded, and cut off at both ends. See
// ops/kernels/to_image.h. Errors of a sample: a shape that is no picture's.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

namespace sluice {

Value<Image> to_image(Value<Tensor> tensor);

namespace detail {
const OperatorPtr& to_image_operator();
}  // namespace detail

}  // namespace sluice
