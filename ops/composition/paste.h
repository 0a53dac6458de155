// paste: one picture laid on another one.
//
// | takes                | layout, type | channels | gives                          |
// |----------------------|--------------|----------|--------------------------------|
// | Image, Image         | HWC, 8 bit   | 1 to 4   | Image of the first one's size  |
// | Image, Image, mask   | mask: gray   |          | the same                       |
//
// What lies outside of the first picture is left out. Pixels: see ops/kernels/paste.h. Errors of a
// sample: pictures whose channels differ, and a mask that has not the second one's size.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct PasteOptions {
  // Of the patch's upper left corner. Below 0, and beyond the picture, it is cut off.
  Param<int> y = 0, x = 0;
  Param<float> alpha = 1.f;  // how much of the patch is seen
};

Value<Image> paste(Value<Image> image, Value<Image> patch, const PasteOptions& options = {});
// A gray picture of the patch's size says where it is seen: 255 is wholly, 0 not at all.
Value<Image> paste(Value<Image> image, Value<Image> patch, Value<Image> mask,
                   const PasteOptions& options = {});

namespace detail {
const OperatorPtr& paste_operator();
const OperatorPtr& paste_masked_operator();
}  // namespace detail

}  // namespace sluice
