// Boxes and points as tensors, and how they move along with a picture.
//
// Boxes are f32, n x 4: (x0, y0, x1, y1), the left, upper, right and lower edge; points f32, n x 2:
// (x, y). They count in pixels from the upper left corner of the picture, where pixel (c, r) covers
// [c, c + 1) x [r, r + 1): a box around pixels 2 to 4 begins at 2 and ends at 5. A tensor of any
// type without elements holds none of either.
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
// What both cover; where that is nothing, a box without area.
BoxEdges intersection(const BoxEdges& a, const BoxEdges& b);
// Intersection over union: 0 to 1; 0 for boxes without area.
double iou(const BoxEdges& a, const BoxEdges& b);

std::vector<BoxEdges> read_boxes(const char* op, const Tensor& boxes);
void write_boxes(std::span<const BoxEdges> boxes, Tensor& out);

// The shape of `tensor` is n x `columns`, f32, or it has no elements; gives n. `what` is the plural
// that messages speak of.
std::int64_t check_rows(const char* op, const char* what, const Tensor& tensor, int columns);
// Throws if a number of the row is not finite.
void check_finite_row(const char* op, const char* what, const Tensor& tensor, std::int64_t row,
                      int columns);
// Throws if float does not hold a number that was computed from the row; `what` is the singular.
void check_in_range(const char* op, const char* what, std::int64_t row, double number);
// Of such a tensor.
double element(const Tensor& tensor, std::int64_t row, int column);

// Each place goes to where the map leads it; of a box, out is the box around its four corners.
void move_boxes(const char* op, const Tensor& boxes, const AffineMap& map, Tensor& out);
void move_points(const char* op, const Tensor& points, const AffineMap& map, Tensor& out);

// The rows with these numbers, in this order, of a tensor of any type with at least one dimension.
// `rows` says how many it has to have.
void take_rows(const char* op, const Tensor& in, std::int64_t rows,
               std::span<const std::int64_t> taken, Tensor& out);
// Numbers of rows as a tensor, i64.
void write_rows(std::span<const std::int64_t> rows, Tensor& out);

}  // namespace sluice::kernels
