#include "tests/error_of.h"
#include <sluice/ops/kernels/boxes.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::kernels {
namespace kernels_boxes_test {

using Numbers = std::vector<float>;

Tensor tensor_of(const Numbers& numbers, std::int64_t columns) {
  Tensor tensor({static_cast<std::int64_t>(numbers.size()) / columns, columns}, DType::f32);
  std::copy(numbers.begin(), numbers.end(), tensor.data<float>());
  return tensor;
}
Numbers numbers_of(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.elements()};
}

// Counted on a grid of cells of a quarter.
double iou_by_cells(const BoxEdges& a, const BoxEdges& b) {
  int both = 0, either = 0;
  for (int y = 0; y < 80; ++y) {
    for (int x = 0; x < 80; ++x) {
      const double cx = (x + 0.5) / 4, cy = (y + 0.5) / 4;
      const auto within = [&](const BoxEdges& box) {
        return cx > box.x0 && cx < box.x1 && cy > box.y0 && cy < box.y1;
      };
      both += within(a) && within(b) ? 1 : 0;
      either += within(a) || within(b) ? 1 : 0;
    }
  }
  return either == 0 ? 0 : static_cast<double>(both) / either;
}

TEST(Boxes, OverlapIsThatOfTheirCells) {
  Random random({.seed = 1});
  const auto edge = [&] { return random.below(80) / 4.0; };
  for (int i = 0; i < 300; ++i) {
    BoxEdges boxes[2];
    for (BoxEdges& box : boxes) {
      box = {edge(), edge(), edge(), edge()};
      if (box.x0 > box.x1) std::swap(box.x0, box.x1);
      if (box.y0 > box.y1) std::swap(box.y0, box.y1);
    }
    EXPECT_NEAR(iou(boxes[0], boxes[1]), iou_by_cells(boxes[0], boxes[1]), 1e-12);
  }
}

TEST(Boxes, MoveByTheirCorners) {
  Tensor out;
  move_boxes("op", tensor_of({1, 2, 4, 8}, 4), {0, -1, 10, 1, 0, 0}, out);  // a quarter turn
  EXPECT_EQ(numbers_of(out), (Numbers{2, 1, 8, 4}));
  move_boxes("op", tensor_of({0, 0, 2, 2, 1, 1, 1, 1}, 4), {1, 1, 0, -1, 1, 0}, out);
  EXPECT_EQ(numbers_of(out), (Numbers{0, -2, 4, 2, 2, 0, 2, 0}));
  move_points("op", tensor_of({1, 2, 3, 4}, 2), {2, 0, 1, 0, 3, -1}, out);
  EXPECT_EQ(numbers_of(out), (Numbers{3, 5, 7, 11}));
  // Columns that are not adjacent.
  Tensor wide = tensor_of({1, 9, 2, 9, 3, 9, 4, 9}, 8);
  const Tensor view = Tensor::view(wide.bytes(), {{1, 4}, DType::f32, Layout::none}, {8, 2});
  move_boxes("op", view, {}, out);
  EXPECT_EQ(numbers_of(out), (Numbers{1, 2, 3, 4}));
  for (const Shape& none : {Shape{0, 4}, Shape{0}, Shape{0, 7}}) {
    move_boxes("op", Tensor(none, DType::i64), {}, out);
    EXPECT_EQ(out.shape(), (Shape{0, 4}));
    EXPECT_EQ(out.dtype(), DType::f32);
  }
}

TEST(Boxes, RefuseWhatIsNone) {
  Tensor out;
  const auto told = [&](const Tensor& in) {
    return error_of<std::invalid_argument>([&] { move_boxes("op", in, {}, out); });
  };
  EXPECT_EQ(told(Tensor({1, 4}, DType::f64)),
            "op: boxes are a tensor of f32 and the shape (n, 4), not of f64 and (1, 4)");
  EXPECT_NE(told(Tensor({4}, DType::f32)), "");
  EXPECT_NE(told(Tensor({1, 5}, DType::f32)), "");
  EXPECT_EQ(told(tensor_of({0, 0, 1, 1, 4, 0, 3, 1}, 4)),
            "op: box 1 is (4, 0, 3, 1), which ends before it begins; boxes are (x0, y0, x1, y1): "
            "convert_boxes() makes such of others");
  EXPECT_EQ(told(tensor_of({0, 0, std::numeric_limits<float>::infinity(), 1}, 4)),
            "op: number 2 of the boxes in row 0 is inf, which is not finite");
  EXPECT_NE(error_of<std::invalid_argument>([&] {
              move_points("op", tensor_of({0, std::nanf("")}, 2), {}, out);
            }),
            "");
}

TEST(Boxes, RowsOfAnyType) {
  Tensor out, names({3, 2}, DType::i16);
  for (std::int16_t i = 0; i < 6; ++i) names.data<std::int16_t>()[i] = i;
  take_rows("op", names, 3, std::vector<std::int64_t>{2, 0}, out);
  EXPECT_EQ(out.shape(), (Shape{2, 2}));
  EXPECT_EQ(std::vector<std::int16_t>(out.data<std::int16_t>(), out.data<std::int16_t>() + 4),
            (std::vector<std::int16_t>{4, 5, 0, 1}));
  take_rows("op", names, 3, {}, out);
  EXPECT_EQ(out.shape(), (Shape{0, 2}));
  EXPECT_EQ(error_of<std::invalid_argument>([&] { take_rows("op", names, 4, {}, out); }),
            "op: there are 4 boxes and 3 rows of what belongs to them, one for each is wanted");
}

}  // namespace kernels_boxes_test
}  // namespace sluice::kernels
