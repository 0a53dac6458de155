// encode_anchors: the boxes of a picture as offsets of a detector's anchors, as SSD learns them.
//
// | takes                                        | gives                            |
// |----------------------------------------------|----------------------------------|
// | boxes, f32, n x 4; labels, n whole numbers;  | offsets, f32, m x 4, and labels, |
// | anchors, f32, m x 4                          | i64, m                           |
//
// Label 0 is the background: boxes have others. Anchors and boxes are xyxy in one unit. The formula
// is in ops/kernels/encode_anchors.h. Errors of a sample: tensors that are no boxes, boxes without
// area, and labels that are of another type than i64 or i32, below 1, or of another number.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <vector>

namespace sluice {

// The same anchors for every sample. A pipeline with them cannot be saved as a plan.
Value<Tensor> anchor_boxes(Graph& g, const std::vector<std::array<float, 4>>& anchors);

struct EncodeAnchorsOptions {
  float iou = 0.5f;  // above 0 up to 1: an anchor takes a box that it overlaps by so much
  std::array<float, 4> mean = {0.f, 0.f, 0.f, 0.f};
  std::array<float, 4> std = {0.1f, 0.1f, 0.2f, 0.2f};  // SSD's; above 0
};
struct EncodedAnchors {
  Value<Tensor> offsets, labels;
};
EncodedAnchors encode_anchors(Value<Tensor> boxes, Value<Tensor> labels, Value<Tensor> anchors,
                              const EncodeAnchorsOptions& options = {});

namespace detail {
const OperatorPtr& encode_anchors_operator();
}  // namespace detail

}  // namespace sluice
