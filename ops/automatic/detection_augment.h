// detection_augment: a picture and its boxes as the detector SSD is trained with.
//
//   auto [image, boxes, labels] = detection_augment(g, jpeg, boxes, labels);
//
// With probability 0.5 the picture lies somewhere on a canvas of up to 4 times its width and
// height; of that a random region is taken that shows enough of a box (random_bbox_crop), resized,
// mirrored with probability 0.5, and its colours change (photometric_distort). Boxes move along,
// are cut to the region, and left out where their middle lies outside of it or less than a pixel of
// them is left; labels are those of the boxes that are left.
//
// The canvas is never made: what is seen of it is cut out of the picture, and where there is no
// canvas, the region alone is decoded. Colours come last, as that is fewer pixels; the canvas's
// change along with the picture's.
//
// Liu et al., "SSD: single shot multibox detector", 2016. Boxes are edges in pixels, f32, n x 4
// (see move_boxes.h), in the picture as it is seen; labels a tensor with a row for each. Called
// while a pipeline is described. Errors: BuildError for numbers out of range.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

namespace sluice {

struct DetectionOptions {
  int width = 300, height = 300;  // of the result, at least 1
  float zoom_probability = 0.5f;
  float max_zoom = 4.f;         // at least 1
  Fill fill = {124, 116, 104};  // of the canvas: ImageNet's mean
  float mirror_probability = 0.5f;
  float colour_probability = 0.5f;  // of each of the four
  JpegOptions jpeg = {};
};
struct DetectionSample {
  Value<Image> image;
  Value<Tensor> boxes, labels;
};
DetectionSample detection_augment(Graph& g, Value<Bytes> jpeg, Value<Tensor> boxes,
                                  Value<Tensor> labels, const DetectionOptions& options = {});

}  // namespace sluice
