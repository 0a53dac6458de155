// Boxes and points as tensors, and how they move with an image.
//
// Boxes are f32, n x 4: (x0, y0, x1, y1), the left, upper, right and lower edge. Points are f32, n
// x 2: (x, y). Coordinates are pixels from the upper left corner of the image, where pixel (c, r)
// covers [c, c + 1) x [r, r + 1): a box around pixels 2 to 4 begins at 2 and ends at 5. A tensor of
// any type without elements holds no boxes and no points.
//
// Errors: std::invalid_argument, with the name `op`, for tensors of another shape or type, numbers
// that are not finite, and boxes that end before they begin. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

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

// Copies the rows with these numbers, in this order, from a tensor of any type with at least one
// dimension. `rows` is the number of rows that the tensor must have.
void take_rows(const char* op, const Tensor& in, std::int64_t rows,
               std::span<const std::int64_t> taken, Tensor& out);
// Writes row numbers to a tensor, i64.
void write_rows(std::span<const std::int64_t> rows, Tensor& out);

}  // namespace sluice::kernels
