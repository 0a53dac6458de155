// jpeg_distortion: pictures as they look after they have been JPEG files.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1, 3     | Image of the same size  |
//
// Pixels: see ops/kernels/jpeg_distortion.h. Errors of a sample: pictures of 2 or 4 channels, and a
// side of more than 65500 pixels.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

// quality: 1 to 100, the scale of the Independent JPEG Group.
Value<Image> jpeg_distortion(Value<Image> image, Param<int> quality = 50);

namespace detail {
const OperatorPtr& jpeg_distortion_operator();
}  // namespace detail

}  // namespace sluice
