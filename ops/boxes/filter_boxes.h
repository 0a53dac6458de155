// clip_boxes and filter_boxes: what is left of boxes in their picture, after it has moved.
//
// | operator     | takes                               | gives                                    |
// |--------------|-------------------------------------|------------------------------------------|
// | clip_boxes   | boxes, f32, n x 4                   | as many boxes, inside the picture        |
// | filter_boxes | boxes, and a row of labels for each | boxes inside the picture, and their rows |
// | take_rows    | a tensor, and numbers of rows       | these rows, of any type                  |
//
// A box is left out when the part of it inside the picture is smaller than min_area, or less than
// min_visibility of the box, or has no area; or when the part is too narrow or too low. These are
// albumentations' rules. Errors of a sample: tensors that are no boxes, and labels whose number is
// another one.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/boxes/canvas_size.h>
#include <sluice/runtime/tensor.h>

namespace sluice {

Value<Tensor> clip_boxes(Value<Tensor> boxes, const CanvasSize& size);

struct FilterBoxesOptions {
  float min_area = 0.f;                     // pixels; at least 0
  float min_visibility = 0.f;               // 0 to 1
  float min_width = 0.f, min_height = 0.f;  // pixels; at least 0
};
// `kept` are the numbers of the rows that are left, i64, for take_rows.
struct FilteredBoxes {
  Value<Tensor> boxes, kept;
};
FilteredBoxes filter_boxes(Value<Tensor> boxes, const CanvasSize& size,
                           const FilterBoxesOptions& options = {});
struct LabelledBoxes {
  Value<Tensor> boxes, labels;
};
LabelledBoxes filter_boxes(Value<Tensor> boxes, Value<Tensor> labels, const CanvasSize& size,
                           const FilterBoxesOptions& options = {});

// Row numbers count from 0. The tensor has one row for each of `boxes`, which are the boxes that
// filter_boxes was given. Throws BuildError for the boxes that filter_boxes returned.
Value<Tensor> take_rows(Value<Tensor> tensor, Value<Tensor> boxes, Value<Tensor> rows);

namespace detail {
const OperatorPtr& clip_boxes_operator();
const OperatorPtr& filter_boxes_operator();
const OperatorPtr& take_rows_operator();
}  // namespace detail

}  // namespace sluice
