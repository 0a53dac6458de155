// Operators on bounding boxes, and on regions computed from them.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
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

// canvas_size: returns the size of an image, for boxes and points that move with it. center_region:
// returns the rectangle that center_crop takes.
//
// | operator      | takes      | returns     |
// |---------------|------------|-------------|
// | canvas_size   | Image      | two numbers |
// | region_size   | Rectangle  | two numbers |
// | center_region | CanvasSize | Rectangle   |
//
// For a decoded image the size comes from the file header; no pixels are needed. Call these while
// describing a pipeline. Errors of a sample: see center_crop.
struct CanvasSize {
  Param<int> height = 0, width = 0;  // pixels, 1 to 65535
};
CanvasSize canvas_size(Value<Image> image);
// Returns the size of the image that crop() makes of the region.
CanvasSize canvas_size(Value<Rectangle> region);

// Returns the rectangle that center_crop takes from an image of this size.
Value<Rectangle> center_region(const CanvasSize& size, const CenterCropOptions& options);

namespace detail {
const OperatorPtr& canvas_size_operator();
const OperatorPtr& region_size_operator();
const OperatorPtr& center_region_operator();
}  // namespace detail

// convert_boxes: converts boxes between formats and units.
//
// | operator       | takes                       | returns                      |
// |----------------|-----------------------------|------------------------------|
// | convert_boxes  | f32, n x 4, in one format   | the same in another          |
// | absolute_boxes | shares of width and height  | pixels, in the same format   |
// | relative_boxes | pixels                      | shares of width and height   |
//
// The operators here take xyxy in pixels. Errors of a sample: a tensor of another shape or type.
// Values are not checked here: the operator that uses the boxes rejects invalid ones.
enum class BoxFormat : std::uint8_t {
  xyxy,   // left, upper, right, lower edge
  xywh,   // left, upper edge, width, height, as in COCO
  cxcywh  // center, width, height, as in YOLO
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

// encode_anchors: encodes the boxes of an image as offsets from a detector's anchors, as for SSD.
//
// | takes                                        | returns                          |
// |----------------------------------------------|----------------------------------|
// | boxes, f32, n x 4; labels, n whole numbers;  | offsets, f32, m x 4, and labels, |
// | anchors, f32, m x 4                          | i64, m                           |
//
// Label 0 is the background, so labels of boxes are at least 1. Anchors and boxes are xyxy in one
// unit. For the formula see ops/kernels/boxes.h. Errors of a sample: tensors that are not
// boxes, boxes without area, and labels that are below 1, not i64 or i32, or differ in number from
// the boxes.

// Returns the same anchors for every sample. A pipeline that uses it cannot be saved as a plan.
Value<Tensor> anchor_boxes(Graph& g, const std::vector<std::array<float, 4>>& anchors);

struct EncodeAnchorsOptions {
  float iou = 0.5f;  // above 0 up to 1: the overlap from which an anchor takes a box
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

// clip_boxes and filter_boxes: clip boxes to the image after it has moved, and drop small ones.
//
// | operator     | takes                               | returns                                  |
// |--------------|-------------------------------------|------------------------------------------|
// | clip_boxes   | boxes, f32, n x 4                   | as many boxes, inside the image          |
// | filter_boxes | boxes, and a row of labels for each | boxes inside the image, and their rows   |
// | take_rows    | a tensor, and numbers of rows       | these rows, of any type                  |
//
// A box is dropped if its visible part has no area, is smaller than min_area, is less than
// min_visibility of the box, or is too narrow or too low. These are albumentations' rules. Errors
// of a sample: tensors that are not boxes, and a number of labels that differs from the boxes.
Value<Tensor> clip_boxes(Value<Tensor> boxes, const CanvasSize& size);

struct FilterBoxesOptions {
  float min_area = 0.f;                     // pixels; at least 0
  float min_visibility = 0.f;               // 0 to 1
  float min_height = 0.f, min_width = 0.f;  // pixels; at least 0
};
// `kept` holds the row numbers of the remaining boxes, i64, for take_rows.
struct FilteredBoxes {
  Value<Tensor> boxes, kept;
};
FilteredBoxes filter_boxes(Value<Tensor> boxes, const CanvasSize& size,
                           const FilterBoxesOptions& options = {});
struct LabeledBoxes {
  Value<Tensor> boxes, labels;
};
LabeledBoxes filter_boxes(Value<Tensor> boxes, Value<Tensor> labels, const CanvasSize& size,
                          const FilterBoxesOptions& options = {});

// Row numbers count from 0. The tensor has one row for each of `boxes`, the boxes that were passed
// to filter_boxes. Throws BuildError for the boxes that filter_boxes returned.
Value<Tensor> take_rows(Value<Tensor> tensor, Value<Tensor> boxes, Value<Tensor> rows);

namespace detail {
const OperatorPtr& clip_boxes_operator();
const OperatorPtr& filter_boxes_operator();
const OperatorPtr& take_rows_operator();
}  // namespace detail

// Operators that move boxes and points with their image. There is one for boxes and one for points
// for each of flip, crop, resize, pad_image, transpose, rot90, d4, rotate, shear, translate,
// affine, warp_affine, perspective, warp_perspective and lens_distortion, with the same options.
// For remap see warp_fields.h.
//
//   const CanvasSize size = canvas_size(image);
//   auto moved = rotate(image, angle, {.keep_size = true});
//   auto moved_boxes = rotate_boxes(boxes, size, angle, {.keep_size = true});
//
// | takes  | type, shape             | returns                 |
// |--------|-------------------------|-------------------------|
// | boxes  | f32, n x 4: x0 y0 x1 y1 | boxes, n x 4            |
// | points | f32, n x 2: x y         | points, n x 2           |
//
// Boxes are edges in pixels of the image, like torchvision's XYXY: see ops/kernels/boxes.h, and
// convert_boxes for other formats. A rotated box becomes the bounding box of its corners. Boxes are
// not clipped to the image and not dropped, so that the remaining share of a box can still be
// computed: call filter_boxes() or clip_boxes() at the end.
//
// `size` is the size of the image before it moves: see canvas_size. Options that concern pixels
// have no effect here. Errors of a sample: tensors that are not boxes or points, and those of the
// operator on images.
Value<Tensor> flip_boxes(Value<Tensor> boxes, const CanvasSize& size,
                         const FlipOptions& options = {});
Value<Tensor> flip_points(Value<Tensor> points, const CanvasSize& size,
                          const FlipOptions& options = {});

// Coordinates count from the corner of the region, as in the image that crop() makes. With
// OutOfBounds::trim, this differs from crop() if the region reaches beyond the image.
Value<Tensor> crop_boxes(Value<Tensor> boxes, Param<Rectangle> region);
Value<Tensor> crop_points(Value<Tensor> points, Param<Rectangle> region);

// `to` is the size of the resized image.
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

Value<Tensor> affine_boxes(Value<Tensor> boxes, const CanvasSize& size,
                           const AffineOptions& options);
Value<Tensor> affine_points(Value<Tensor> points, const CanvasSize& size,
                            const AffineOptions& options);

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

Value<Tensor> rot90_boxes(Value<Tensor> boxes, const CanvasSize& size, Param<std::int32_t> turns);
Value<Tensor> rot90_points(Value<Tensor> points, const CanvasSize& size, Param<std::int32_t> turns);

Value<Tensor> d4_boxes(Value<Tensor> boxes, const CanvasSize& size, Param<std::int32_t> element);
Value<Tensor> d4_points(Value<Tensor> points, const CanvasSize& size, Param<std::int32_t> element);

// A perspective can have a horizon, where its divisor is 0. The image is shown on both sides of it,
// and so are boxes and points. A point on the horizon, and a box that touches or crosses it, fail
// the sample. There is no horizon within the corners `from` if `from` and `to` are convex and run
// in the same direction.
Value<Tensor> perspective_boxes(Value<Tensor> boxes, const Corners& from, const Corners& to);
Value<Tensor> perspective_points(Value<Tensor> points, const Corners& from, const Corners& to);

// The matrix is that of warp_perspective(), from output to input coordinates. Errors of a sample:
// those above, and a matrix that has no inverse.
Value<Tensor> warp_perspective_boxes(Value<Tensor> boxes, const PerspectiveMatrix& matrix);
Value<Tensor> warp_perspective_points(Value<Tensor> points, const PerspectiveMatrix& matrix);

// Solves for the inverse of the lens numerically, to 1e-9 of half the diagonal: see
// ops/kernels/places.h. A box becomes the bounding box of positions along its edges, a pixel apart.
// Positions that the image does not show move out of it. Errors of a sample: a lens that shows
// positions twice, such as k1 below -1/3 with k2 = 0.
Value<Tensor> lens_distortion_boxes(Value<Tensor> boxes, const CanvasSize& size,
                                    const LensDistortionOptions& options);
Value<Tensor> lens_distortion_points(Value<Tensor> points, const CanvasSize& size,
                                     const LensDistortionOptions& options);

namespace detail {
// All operators above.
const std::vector<OperatorPtr>& move_operators();
}  // namespace detail

// random_bbox_crop: draws a random region that shows enough of at least one box, as for training
// SSD.
//
//   auto [region, kept_boxes, kept_labels] = random_bbox_crop(boxes, labels, canvas_size(image));
//   auto part = crop(image, region);
//
// | takes                                       | returns                                    |
// |---------------------------------------------|--------------------------------------------|
// | boxes, f32, n x 4; a row of labels for each | Rectangle, the boxes within it, their rows |
//
// The boxes count from the corner of the region and are clipped to it. For how regions are drawn
// see ops/kernels/boxes.h. Errors of a sample: tensors that are not boxes, and a number
// of labels that differs from the boxes.
struct RandomBboxCropOptions {
  // The least intersection over union of the region and a box. One of them is drawn uniformly. 1
  // means the whole image.
  std::array<float, 7> thresholds = {0.f, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f, 1.f};
  float min_scale = 0.3f;  // of the width, and of the height: above 0 up to 1
  float max_scale = 1.f;
  float min_ratio = 0.5f;  // width / height, above 0
  float max_ratio = 2.f;
  int attempts = 40;  // tries per threshold, before another is drawn
  int rounds = 50;    // thresholds tried, before the whole image is taken
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

// Regions computed from the size of an image. The needed part of the image is thus known before it
// is decoded, and boxes can follow it.
//
// | operator        | takes                | returns                                |
// |-----------------|----------------------|----------------------------------------|
// | scaled_region   | CanvasSize, a window | Rectangle, and its size when resized   |
// | expanded_region | CanvasSize           | Rectangle, which reaches beyond it     |
// | nested_region   | two Rectangles       | Rectangle                              |
//
// Errors of a sample: numbers out of range, and regions of more than 65535 pixels on a side.

// Returns what a window shows of an image scaled by `scale`: the source region, and the size to
// which it must be resized. That size is the window's, or the scaled image's where that is smaller;
// pad_image() then fills the window. So only the visible part is decoded and resized. For the
// formula see kernels/moves.h.
struct ScaledRegionOptions {
  Param<int> height = 0, width = 0;  // window size in pixels of the scaled image, at least 1
  Param<float> scale = 1.f;          // above 0
  // The share of the free rows above the window, and of the free columns to its left: 0 to 1.
  Param<float> y = 0.5f, x = 0.5f;
};
struct ScaledRegion {
  Value<Rectangle> region;
  CanvasSize size;
};
ScaledRegion scaled_region(const CanvasSize& size, const ScaledRegionOptions& options);

// Returns the canvas of expand(), relative to the corner of the image. crop() with OutOfBounds::pad
// and this region does what expand() does, and crop_boxes() moves boxes accordingly. The fill has
// no effect here.
Value<Rectangle> expanded_region(const CanvasSize& size, const ExpandOptions& options);

// Returns `inner`, which is relative to the corner of `outer`, in the coordinates in which `outer`
// itself is given.
Value<Rectangle> nested_region(Value<Rectangle> outer, Value<Rectangle> inner);

namespace detail {
const OperatorPtr& scaled_region_operator();
const OperatorPtr& expanded_region_operator();
const OperatorPtr& nested_region_operator();
}  // namespace detail

// rows_of: turns a list of numbers from a dataset column into a tensor of rows, such as boxes or
// points. labels_of: the same for whole numbers, one per row.
//
//   auto [file, numbers, classes] = g.read(list_in<std::vector<float>, std::vector<std::int64_t>>(
//       "train.jsonl", {.columns = {"boxes", "labels"}}));
//   auto boxes = rows_of(numbers, 4);
//   auto labels = labels_of(classes);
//
// | operator  | takes                     | returns                   |
// |-----------|---------------------------|---------------------------|
// | rows_of   | std::vector<float>        | Tensor, f32, n x columns  |
// | labels_of | std::vector<std::int64_t> | Tensor, i64, n            |
//
// Errors of a sample: a count of numbers that is not a multiple of the row length.

// columns: 1 to 65535.
Value<Tensor> rows_of(Value<std::vector<float>> numbers, int columns);
Value<Tensor> labels_of(Value<std::vector<std::int64_t>> numbers);

namespace detail {
const OperatorPtr& rows_of_operator();
const OperatorPtr& labels_of_operator();
}  // namespace detail

}  // namespace sluice
