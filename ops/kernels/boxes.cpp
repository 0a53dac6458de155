#include <sluice/ops/kernels/boxes.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

struct Place {
  double x = 0, y = 0;
};
Place moved(const AffineMap& map, double x, double y) {
  return {map.xx * x + map.xy * y + map.x0, map.yx * x + map.yy * y + map.y0};
}

}  // namespace

BoxEdges box_of(const Rectangle& region) {
  return {static_cast<double>(region.x), static_cast<double>(region.y),
          static_cast<double>(region.x) + region.width,
          static_cast<double>(region.y) + region.height};
}

BoxEdges intersection(const BoxEdges& a, const BoxEdges& b) {
  BoxEdges both{std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1),
                std::min(a.y1, b.y1)};
  both.x1 = std::max(both.x0, both.x1);
  both.y1 = std::max(both.y0, both.y1);
  return both;
}

double iou(const BoxEdges& a, const BoxEdges& b) {
  const double shared = intersection(a, b).area();
  return shared > 0 ? shared / (a.area() + b.area() - shared) : 0;
}

std::int64_t check_rows(const char* op, const char* what, const Tensor& tensor, int columns) {
  const Shape& shape = tensor.shape();
  if (tensor.elements() == 0) return 0;
  if (shape.rank != 2 || shape[1] != columns || tensor.dtype() != DType::f32) {
    throw std::invalid_argument(
        fmt::format("{}: {} are a tensor of f32 and the shape (n, {}), not "
                    "of {} and {}",
                    op, what, columns, name_of(tensor.dtype()), to_string(shape)));
  }
  return shape[0];
}

void check_in_range(const char* op, const char* what, std::int64_t row, double number) {
  if (std::abs(number) <= std::numeric_limits<float>::max()) return;
  throw std::invalid_argument(
      fmt::format("{}: {} {} goes beyond what a float holds", op, what, row));
}

void check_finite_row(const char* op, const char* what, const Tensor& tensor, std::int64_t row,
                      int columns) {
  for (int k = 0; k < columns; ++k) {
    const double number = element(tensor, row, k);
    if (std::isfinite(number)) continue;
    throw std::invalid_argument(fmt::format(
        "{}: number {} of the {} in row {} is {}, which is not finite", op, k, what, row, number));
  }
}

double element(const Tensor& tensor, std::int64_t row, int column) {
  const Strides& strides = tensor.strides();
  return static_cast<double>(tensor.data<float>()[row * strides[0] + column * strides[1]]);
}

std::vector<BoxEdges> read_boxes(const char* op, const Tensor& boxes) {
  const std::int64_t count = check_rows(op, "boxes", boxes, 4);
  std::vector<BoxEdges> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    check_finite_row(op, "boxes", boxes, i, 4);
    const BoxEdges box{element(boxes, i, 0), element(boxes, i, 1), element(boxes, i, 2),
                       element(boxes, i, 3)};
    if (box.x1 < box.x0 || box.y1 < box.y0) {
      throw std::invalid_argument(fmt::format(
          "{}: box {} is ({}, {}, {}, {}), which ends before it begins; boxes are (x0, y0, x1, "
          "y1): convert_boxes() makes such of others",
          op, i, box.x0, box.y0, box.x1, box.y1));
    }
    all.push_back(box);
  }
  return all;
}

void write_boxes(std::span<const BoxEdges> boxes, Tensor& out) {
  out.create({static_cast<std::int64_t>(boxes.size()), 4}, DType::f32);
  auto* numbers = out.data<float>();
  for (const BoxEdges& box : boxes) {
    for (const double number : {box.x0, box.y0, box.x1, box.y1})
      *numbers++ = static_cast<float>(number);
  }
}

void move_boxes(const char* op, const Tensor& boxes, const AffineMap& map, Tensor& out) {
  std::vector<BoxEdges> all = read_boxes(op, boxes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    BoxEdges& box = all[i];
    const Place corners[] = {moved(map, box.x0, box.y0), moved(map, box.x1, box.y0),
                             moved(map, box.x0, box.y1), moved(map, box.x1, box.y1)};
    box = {corners[0].x, corners[0].y, corners[0].x, corners[0].y};
    for (const Place& corner : corners) {
      box = {std::min(box.x0, corner.x), std::min(box.y0, corner.y), std::max(box.x1, corner.x),
             std::max(box.y1, corner.y)};
    }
    for (const double number : {box.x0, box.y0, box.x1, box.y1})
      check_in_range(op, "box", static_cast<std::int64_t>(i), number);
  }
  write_boxes(all, out);
}

void move_points(const char* op, const Tensor& points, const AffineMap& map, Tensor& out) {
  const std::int64_t count = check_rows(op, "points", points, 2);
  for (std::int64_t i = 0; i < count; ++i) check_finite_row(op, "points", points, i, 2);
  out.create({count, 2}, DType::f32);
  auto* numbers = out.data<float>();
  for (std::int64_t i = 0; i < count; ++i) {
    const Place place = moved(map, element(points, i, 0), element(points, i, 1));
    for (const double number : {place.x, place.y}) check_in_range(op, "point", i, number);
    *numbers++ = static_cast<float>(place.x);
    *numbers++ = static_cast<float>(place.y);
  }
}

void take_rows(const char* op, const Tensor& in, std::int64_t rows,
               std::span<const std::int64_t> taken, Tensor& out) {
  const std::int64_t there = in.shape().rank == 0 ? 0 : in.shape()[0];
  if (there != rows) {
    throw std::invalid_argument(
        fmt::format("{}: there are {} boxes and {} rows of what belongs to them, one for each is "
                    "wanted",
                    op, rows, there));
  }
  Shape shape = in.shape();
  if (shape.rank == 0) shape = {0};
  shape.dims[0] = static_cast<std::int64_t>(taken.size());
  out.create(shape, in.dtype(), in.layout());
  if (in.elements() == 0 || taken.empty()) return;
  const std::size_t bytes = in.nbytes() / static_cast<std::size_t>(rows);
  const Tensor side_by_side = in.contiguous() ? Tensor() : in.clone();
  const std::byte* const from = in.contiguous() ? in.bytes() : side_by_side.bytes();
  std::byte* to = out.bytes();
  for (const std::int64_t row : taken) {
    std::memcpy(to, from + static_cast<std::size_t>(row) * bytes, bytes);
    to += bytes;
  }
}

void write_rows(std::span<const std::int64_t> rows, Tensor& out) {
  out.create({static_cast<std::int64_t>(rows.size())}, DType::i64);
  std::copy(rows.begin(), rows.end(), out.data<std::int64_t>());
}

}  // namespace sluice::kernels
