// pad_image: pictures with a margin.
//
// | takes | layout, type | channels | gives                          |
// |-------|--------------|----------|--------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, larger by the margins   |
//
// What stands in the margin: see ops/kernels/pad.h. Errors of a sample: margins below 0, and a
// result of more than 65535 pixels on a side.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct PadImageOptions {
  Param<int> left = 0, top = 0, right = 0, bottom = 0;  // pixels
  // The least size of the result; what the margins leave open is added to the right and at the
  // bottom. 0 means any.
  Param<int> width = 0, height = 0;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

Value<Image> pad_image(Value<Image> image, const PadImageOptions& options);

namespace detail {
const OperatorPtr& pad_image_operator();
}  // namespace detail

}  // namespace sluice
