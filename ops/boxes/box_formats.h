// convert_boxes: boxes of other formats and units as those that the operators here take, and back.
//
// | operator       | takes                       | gives                        |
// |----------------|-----------------------------|------------------------------|
// | convert_boxes  | f32, n x 4, in one format   | the same in another          |
// | absolute_boxes | shares of width and height  | pixels, in the same format   |
// | relative_boxes | pixels                      | shares of width and height   |
//
// The operators here take xyxy in pixels. Errors of a sample: a tensor of another shape or type.
// Numbers are not looked at: what is no box is refused by the operator that takes it.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/boxes/canvas_size.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice {

enum class BoxFormat : std::uint8_t {
  xyxy,   // left, upper, right, lower edge
  xywh,   // left, upper edge, width, height, as in COCO
  cxcywh  // middle, width, height, as in YOLO
};
const char* name_of(BoxFormat format);

struct ConvertBoxesOptions {
  BoxFormat from = BoxFormat::xyxy;
  BoxFormat to = BoxFormat::xyxy;
};
Value<Tensor> convert_boxes(Value<Tensor> boxes, const ConvertBoxesOptions& options);
Value<Tensor> absolute_boxes(Value<Tensor> boxes, const CanvasSize& size);
Value<Tensor> relative_boxes(Value<Tensor> boxes, const CanvasSize& size);

namespace detail {
const OperatorPtr& convert_boxes_operator();
const OperatorPtr& absolute_boxes_operator();
const OperatorPtr& relative_boxes_operator();
}  // namespace detail

}  // namespace sluice
