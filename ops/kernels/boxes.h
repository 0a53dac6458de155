// Boxes and points as tensors, and how they move with an image; a detector's training targets
// (encode_anchors), SSD's random crop (random_bbox_crop), and class numbers as probabilities
// (one_hot).
//
// Boxes are f32, n x 4: (x0, y0, x1, y1), the left, upper, right and lower edge. Points are f32, n
// x 2: (x, y). Coordinates are pixels from the upper left corner of the image, where pixel (c, r)
// covers [c, c + 1) x [r, r + 1): a box around pixels 2 to 4 begins at 2 and ends at 5. A tensor of
// any type without elements holds no boxes and no points.
//
// Threads: any. Errors: std::invalid_argument, with the name `op`, for tensors of another shape or
// type, numbers that are not finite, and boxes that end before they begin.
#pragma once

#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::kernels {

struct BoxEdges {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  double width() const { return x1 - x0; }
  double height() const { return y1 - y0; }
  double area() const { return width() * height(); }
};
BoxEdges box_of(const Rectangle& region);
// Returns the part that both cover; a box without area if there is none.
BoxEdges intersection(const BoxEdges& a, const BoxEdges& b);
// Intersection over union: 0 to 1; 0 for boxes without area.
double iou(const BoxEdges& a, const BoxEdges& b);

std::vector<BoxEdges> read_boxes(const char* op, const Tensor& boxes);
void write_boxes(std::span<const BoxEdges> boxes, Tensor& out);

// Requires a `tensor` of shape n x `columns` and type f32, or without elements; returns n. `what`
// is the plural noun for messages.
std::int64_t check_rows(const char* op, const char* what, const Tensor& tensor, int columns);
// Throws if a number of the row is not finite.
void check_finite_row(const char* op, const char* what, const Tensor& tensor, std::int64_t row,
                      int columns);
// Throws if float cannot hold a number computed from the row; `what` is the singular noun.
void check_in_range(const char* op, const char* what, std::int64_t row, double number);
// Returns an element of such a tensor.
double element(const Tensor& tensor, std::int64_t row, int column);

// Maps each position. A box becomes the bounding box of its four mapped corners.
void move_boxes(const char* op, const Tensor& boxes, const AffineMap& map, Tensor& out);
void move_points(const char* op, const Tensor& points, const AffineMap& map, Tensor& out);

// The same with a map from input to output coordinates that has a divisor. Positions where the
// divisor is 0 form the horizon: they have no place. warp_perspective() shows the image on both
// sides of the horizon, so positions on both sides are mapped.
//
// Errors: a point on the horizon, and a box that touches or crosses it, because no box bounds what
// the image shows of it.
void move_boxes_in_perspective(const char* op, const Tensor& boxes, const PerspectiveMap& map,
                               Tensor& out);
void move_points_in_perspective(const char* op, const Tensor& points, const PerspectiveMap& map,
                                Tensor& out);

// The same with any function. A box becomes the bounding box of positions along its edges: the
// corners, and at most a pixel apart, but no more than kMostEdgeSteps parts for each edge.
inline constexpr int kMostEdgeSteps = 1024;
void move_boxes_along_curves(const char* op, const Tensor& boxes, const PlaceFunction& place,
                             Tensor& out);
void move_points_along_curves(const char* op, const Tensor& points, const PlaceFunction& place,
                              Tensor& out);

// Copies the rows with these numbers, in this order, from a tensor of any type with at least one
// dimension. `rows` is the number of rows that the tensor must have.
void take_rows(const char* op, const Tensor& in, std::int64_t rows,
               std::span<const std::int64_t> taken, Tensor& out);
// Writes row numbers to a tensor, i64.
void write_rows(std::span<const std::int64_t> rows, Tensor& out);

// encode_anchors: encodes the boxes of an image as training targets of a detector with anchors, by
// SSD's matching and offsets (Liu et al., "SSD: single shot multibox detector", 2016, section 2.2).
//
// Each box takes the anchor with the largest overlap (intersection over union); the box with the
// largest overlap chooses first. Each remaining anchor takes the box that it overlaps most, if the
// overlap is at least `iou`. Ties go to the first. A box that overlaps no anchor gets none.
//
// An anchor a matched with box b, both given by center (cx, cy) and size (w, h), has the offsets
//
//   ((b.cx - a.cx) / a.w, (b.cy - a.cy) / a.h, log(b.w / a.w), log(b.h / a.h)),
//
// minus mean, divided by std, and the label of b. Unmatched anchors have zeros.
//
// Errors: anchors or boxes without area.

// Returns for each anchor the number of its box, or -1.
std::vector<std::int64_t> match_anchors(std::span<const BoxEdges> anchors,
                                        std::span<const BoxEdges> boxes, double iou);

struct OffsetScale {
  std::array<double, 4> mean = {0, 0, 0, 0};
  std::array<double, 4> std = {1, 1, 1, 1};
};
// `labels`: one per box. offsets: f32, anchors x 4; anchor_labels: i64.
void encode_anchors(std::span<const BoxEdges> anchors, std::span<const BoxEdges> boxes,
                    std::span<const std::int64_t> labels, double iou, const OffsetScale& scale,
                    Tensor& offsets, Tensor& anchor_labels);

// random_bbox_crop: draws SSD's region of an image with boxes (Liu et al., "SSD: single shot
// multibox detector", 2016, section 2.2), like torchvision's RandomIoUCrop.
//
// A threshold is drawn uniformly. For a threshold of 1 or more the result is the whole image.
// Otherwise, up to `attempts` times, width and height are drawn, each a share from min_scale to
// max_scale, and the position. A region is accepted if width / height lies between min_ratio and
// max_ratio, it contains the center of at least one box, and it overlaps one of these boxes
// (intersection over union) by at least the threshold. If no region is accepted, another threshold
// is drawn. After `rounds` thresholds the result is the whole image; so it is without boxes.
//
// Boxes whose center lies within the region are kept and clipped to it.
struct RandomBboxCrop {
  std::span<const float> thresholds;
  double min_scale = 0.3, max_scale = 1;
  double min_ratio = 0.5, max_ratio = 2;
  int attempts = 40;
  int rounds = 50;
};
struct CropOfBoxes {
  Rectangle region;
  std::vector<BoxEdges> boxes;     // relative to the corner of the region
  std::vector<std::int64_t> kept;  // their indices in the input
};
CropOfBoxes random_bbox_crop(Random& random, std::span<const BoxEdges> boxes, int height, int width,
                             const RandomBboxCrop& how);

// one_hot: converts a class number to a vector of probabilities, f32.
//
//   out[k] = (k == label ? 1 - smoothing : 0) + smoothing / classes
//
// Errors: a label outside 0 .. classes - 1.

inline constexpr int kMostClasses = 1 << 24;

// classes: 1 to kMostClasses; smoothing: 0 to 1.
void one_hot(std::int64_t label, int classes, float smoothing, Tensor& out);

}  // namespace sluice::kernels
