// random_bbox_crop: a random region of a picture that shows enough of one of its boxes at least, as
// SSD is trained with.
//
//   auto [region, kept_boxes, kept_labels] = random_bbox_crop(boxes, labels, canvas_size(image));
//   auto part = crop(image, region);
//
// | takes                                     | gives                                       |
// |-------------------------------------------|---------------------------------------------|
// | boxes, f32, n x 4; a row of labels for each | Rectangle, the boxes within it, their rows |
//
// The boxes are counted from the corner of the region, and cut to it. How regions are drawn:
// ops/kernels/random_bbox_crop.h. Errors of a sample: tensors that are no boxes, and labels whose
// number is another one.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/boxes/canvas_size.h>
#include <sluice/runtime/rectangle.h>
#include <sluice/runtime/tensor.h>

#include <array>

namespace sluice {

struct RandomBboxCropOptions {
  // Intersection over union of the region and a box; all are as likely. 1 means the whole picture.
  std::array<float, 7> thresholds = {0.f, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f, 1.f};
  float min_scale = 0.3f;  // of the width, and of the height: above 0 up to 1
  float max_scale = 1.f;
  float min_ratio = 0.5f;  // width / height, above 0
  float max_ratio = 2.f;
  int attempts = 40;  // with each threshold, before another one is drawn
  int rounds = 50;    // so many thresholds, before it is the whole picture
};
struct BboxCrop {
  Value<Rectangle> region;
  Value<Tensor> boxes, labels;
};
BboxCrop random_bbox_crop(Value<Tensor> boxes, Value<Tensor> labels, const CanvasSize& size,
                          const RandomBboxCropOptions& options = {});

namespace detail {
const OperatorPtr& random_bbox_crop_operator();
}  // namespace detail

}  // namespace sluice
