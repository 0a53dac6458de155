// Operators on bounding boxes, and regions that follow from them.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace sluice {

// canvas_size: how large a picture is, for what moves along with it: boxes and points; and
// center_region, the rectangle that center_crop takes.
//
// | operator      | takes         | gives         |
// |---------------|---------------|---------------|
// | canvas_size  | Image         | two numbers   |
// | region_size   | Rectangle     | two numbers   |
// | center_region | CanvasSize   | Rectangle     |
//
// Of a picture that comes from a decoder its header says the size: no pixels are needed for it.
// Called while a pipeline is described. Errors of a sample: see center_crop.
struct CanvasSize {
  Param<int> width = 0, height = 0;  // pixels, 1 to 65535
};
CanvasSize canvas_size(Value<Image> image);
// Of the picture that crop() makes of the region.
CanvasSize canvas_size(Value<Rectangle> region);

// What center_crop takes of a picture of this size.
Value<Rectangle> center_region(const CanvasSize& size, const CenterCropOptions& options);

namespace detail {
const OperatorPtr& canvas_size_operator();
const OperatorPtr& region_size_operator();
const OperatorPtr& center_region_operator();
}  // namespace detail

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

// Boxes and points that move as their picture moves: for flip, crop, resize, pad_image, transpose,
// rotate, shear, translate and warp_affine, one operator on boxes and one on points, which takes
// the same options.
//
//   const CanvasSize size = canvas_size(image);
//   auto moved = rotate(image, angle, {.keep_size = true});
//   auto moved_boxes = rotate_boxes(boxes, size, angle, {.keep_size = true});
//
// | takes  | type, shape             | gives                   |
// |--------|-------------------------|-------------------------|
// | boxes  | f32, n x 4: x0 y0 x1 y1 | boxes, n x 4            |
// | points | f32, n x 2: x y         | points, n x 2           |
//
// Boxes are edges in pixels of the picture, as torchvision's XYXY: see ops/kernels/boxes.h, and
// convert_boxes for others. Of a box that is turned the result is the box around its corners. None
// is cut at the border of the picture or left out, so that it can still be told how much of a box
// is left: filter_boxes() and clip_boxes() do that, at the end.
//
// `size` is that of the picture before it moves: see canvas_size. Options that concern pixels
// say nothing here. Errors of a sample: tensors that are no boxes or points, and those of the
// operator on pictures.
Value<Tensor> flip_boxes(Value<Tensor> boxes, const CanvasSize& size,
                         const FlipOptions& options = {});
Value<Tensor> flip_points(Value<Tensor> points, const CanvasSize& size,
                          const FlipOptions& options = {});

// Counted from the corner of the region, as crop()'s picture is, but with OutOfBounds::trim, where
// the region reaches beyond the picture.
Value<Tensor> crop_boxes(Value<Tensor> boxes, Param<Rectangle> region);
Value<Tensor> crop_points(Value<Tensor> points, Param<Rectangle> region);

// `to` is the size of the resized picture.
Value<Tensor> resize_boxes(Value<Tensor> boxes, const CanvasSize& size, const CanvasSize& to);
Value<Tensor> resize_points(Value<Tensor> points, const CanvasSize& size, const CanvasSize& to);

Value<Tensor> pad_boxes(Value<Tensor> boxes, const PadImageOptions& options);
Value<Tensor> pad_points(Value<Tensor> points, const PadImageOptions& options);

Value<Tensor> transpose_boxes(Value<Tensor> boxes);
Value<Tensor> transpose_points(Value<Tensor> points);

Value<Tensor> rotate_boxes(Value<Tensor> boxes, const CanvasSize& size, Param<float> degrees,
                           const RotateOptions& options = {});
Value<Tensor> rotate_points(Value<Tensor> points, const CanvasSize& size, Param<float> degrees,
                            const RotateOptions& options = {});

Value<Tensor> shear_boxes(Value<Tensor> boxes, const CanvasSize& size, const ShearOptions& options);
Value<Tensor> shear_points(Value<Tensor> points, const CanvasSize& size,
                           const ShearOptions& options);

Value<Tensor> translate_boxes(Value<Tensor> boxes, const CanvasSize& size,
                              const TranslateOptions& options);
Value<Tensor> translate_points(Value<Tensor> points, const CanvasSize& size,
                               const TranslateOptions& options);

Value<Tensor> warp_affine_boxes(Value<Tensor> boxes, const AffineMatrix& matrix,
                                const WarpAffineOptions& options = {});
Value<Tensor> warp_affine_points(Value<Tensor> points, const AffineMatrix& matrix,
                                 const WarpAffineOptions& options = {});

namespace detail {
// All of the above.
const std::vector<OperatorPtr>& move_operators();
}  // namespace detail

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

// Regions of a picture of a known size, computed from numbers: what is needed of a picture is known
// before it is decoded, and what belongs to it can follow.
//
// | operator        | takes                | gives                                  |
// |-----------------|----------------------|----------------------------------------|
// | scaled_region   | CanvasSize, a window | Rectangle, and its size when resized   |
// | expanded_region | CanvasSize           | Rectangle, which reaches beyond it     |
// | nested_region   | two Rectangles       | Rectangle                              |
//
// Errors of a sample: numbers out of range, and regions of more than 65535 pixels on a side.

// What a window shows of a picture that is `scale` times as large: the region of the picture as it
// is, and the size to which that is to be resized. It is the window's, or that of the scaled
// picture where that is smaller: pad_image() makes up for it. So only what is seen is decoded and
// resized. kernels/crop.h has the formula.
struct ScaledRegionOptions {
  Param<int> width = 0, height = 0;  // of the window: pixels of the scaled picture, at least 1
  Param<float> scale = 1.f;          // above 0
  // Which share of the free rows lies above the window, and of the free columns left of it: 0 to 1.
  Param<float> y = 0.5f, x = 0.5f;
};
struct ScaledRegion {
  Value<Rectangle> region;
  CanvasSize size;
};
ScaledRegion scaled_region(const CanvasSize& size, const ScaledRegionOptions& options);

// The canvas of expand(), counted from the corner of the picture: what crop() makes of it with
// OutOfBounds::pad is what expand() makes of the picture, and crop_boxes() moves boxes with it. The
// fill says nothing here.
Value<Rectangle> expanded_region(const CanvasSize& size, const ExpandOptions& options);

// A region within another one, which is counted in what `outer` shows, counted as `outer` is.
Value<Rectangle> nested_region(Value<Rectangle> outer, Value<Rectangle> inner);

namespace detail {
const OperatorPtr& scaled_region_operator();
const OperatorPtr& expanded_region_operator();
const OperatorPtr& nested_region_operator();
}  // namespace detail

// rows_of: a list of numbers, as a column of a dataset gives it, as a tensor with rows: boxes,
// points; and labels_of, the same of whole numbers, one for each.
//
//   auto [file, numbers, classes] = g.read(list_in<std::vector<float>, std::vector<std::int64_t>>(
//       "train.jsonl", {.columns = {"boxes", "labels"}}));
//   auto boxes = rows_of(numbers, 4);
//   auto labels = labels_of(classes);
//
// | operator  | takes                     | gives                     |
// |-----------|---------------------------|---------------------------|
// | rows_of   | std::vector<float>        | Tensor, f32, n x columns  |
// | labels_of | std::vector<std::int64_t> | Tensor, i64, n            |
//
// Errors of a sample: numbers that do not fill the last row.

// columns: 1 to 65535.
Value<Tensor> rows_of(Value<std::vector<float>> numbers, int columns);
Value<Tensor> labels_of(Value<std::vector<std::int64_t>> numbers);

namespace detail {
const OperatorPtr& rows_of_operator();
const OperatorPtr& labels_of_operator();
}  // namespace detail

}  // namespace sluice
