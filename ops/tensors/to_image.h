// to_image: a tensor's numbers as the pixels of a picture, for what takes pictures.
//
//   auto darker = to_image(image * 0.5f + 10);
//
// | takes                                                       | gives                       |
// |-------------------------------------------------------------|-----------------------------|
// | a tensor of any type: (height, width), (height, width,      | Image of that size, HWC, u8 |
// | channels), or (channels, height, width) of the layout CHW   |                             |
//
// Numbers are pixel values from 0 to 255; they are rounded and clipped. For another range, pass the
// number for white, such as 1 for numbers from 0 to 1: they are then multiplied by 255 / white. See
// ops/kernels/to_image.h. A sample fails for a shape that no image has, and, without `white`, for
// fractions of which none is above 1.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

namespace sluice {

struct ToImageOptions {
  Param<float> white = 0.f;  // above 0; without it 255
};
Value<Image> to_image(Value<Tensor> tensor, const ToImageOptions& options = {});

namespace detail {
const OperatorPtr& to_image_operator();
}  // namespace detail

}  // namespace sluice
