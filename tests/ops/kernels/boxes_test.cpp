// Boxes and points, a detector's training targets, SSD's random crop, and class numbers as
// probabilities.
#include "tests/error_of.h"
#include <sluice/ops/kernels/boxes.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::kernels {
namespace {

// Draws random boxes inside an image.
std::vector<BoxEdges> draw_boxes(Random& random, std::size_t count, double width, double height) {
  std::vector<BoxEdges> boxes(count);
  for (BoxEdges& box : boxes) {
    const double w = width * (0.05 + 0.5 * random.unit_double());
    const double h = height * (0.05 + 0.5 * random.unit_double());
    box.x0 = (width - w) * random.unit_double();
    box.y0 = (height - h) * random.unit_double();
    box.x1 = box.x0 + w;
    box.y1 = box.y0 + h;
  }
  return boxes;
}

}  // namespace

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
            "convert others with convert_boxes()");
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
            "op: there are 4 boxes but 3 rows of what belongs to them; give one row for each box");
}

}  // namespace kernels_boxes_test

namespace encode_anchors_test {

// Step by step as the header says it.
std::vector<std::int64_t> matched_plainly(const std::vector<BoxEdges>& anchors,
                                          const std::vector<BoxEdges>& boxes, double wanted) {
  std::vector<std::int64_t> match(anchors.size(), -1);
  std::map<std::size_t, std::size_t> taken;  // anchor, box
  std::vector<bool> done(boxes.size(), false);
  for (;;) {
    double best = 0;
    std::size_t best_anchor = 0, best_box = 0;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      for (std::size_t a = 0; a < anchors.size(); ++a) {
        if (done[b] || taken.contains(a) || iou(anchors[a], boxes[b]) <= best) continue;
        best = iou(anchors[a], boxes[b]);
        best_anchor = a;
        best_box = b;
      }
    }
    if (best <= 0) break;
    taken[best_anchor] = best_box;
    done[best_box] = true;
  }
  for (std::size_t a = 0; a < anchors.size(); ++a) {
    if (taken.contains(a)) {
      match[a] = static_cast<std::int64_t>(taken[a]);
      continue;
    }
    double best = 0;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const double overlap = iou(anchors[a], boxes[b]);
      if (overlap < wanted || overlap <= best) continue;
      best = overlap;
      match[a] = static_cast<std::int64_t>(b);
    }
  }
  return match;
}

TEST(EncodeAnchors, FollowTheFormula) {
  const OffsetScale scale{{0.1, -0.1, 0, 0.2}, {0.1, 0.1, 0.2, 0.2}};
  for (std::uint64_t i = 0; i < 60; ++i) {
    Random random({.seed = 11, .sample = i});
    const auto anchors = draw_boxes(random, 40, 1, 1);
    const auto boxes = draw_boxes(random, i % 6, 1, 1);
    std::vector<std::int64_t> labels;
    for (std::size_t b = 0; b < boxes.size(); ++b)
      labels.push_back(10 + static_cast<std::int64_t>(b));
    const auto match = matched_plainly(anchors, boxes, 0.4);
    EXPECT_EQ(match_anchors(anchors, boxes, 0.4), match);
    Tensor offsets, of_anchors;
    encode_anchors(anchors, boxes, labels, 0.4, scale, offsets, of_anchors);
    ASSERT_EQ(offsets.shape(), (Shape{40, 4}));
    for (std::size_t a = 0; a < anchors.size(); ++a) {
      const float* offset = offsets.data<float>() + 4 * a;
      EXPECT_EQ(of_anchors.data<std::int64_t>()[a], match[a] < 0 ? 0 : 10 + match[a]);
      if (match[a] < 0) {
        EXPECT_EQ(std::count(offset, offset + 4, 0.f), 4);
        continue;
      }
      // Converts back, as a detector does.
      const auto back = [&](std::size_t k) {
        return static_cast<double>(offset[k]) * scale.std[k] + scale.mean[k];
      };
      const BoxEdges &anchor = anchors[a], &box = boxes[static_cast<std::size_t>(match[a])];
      const double w = anchor.width() * std::exp(back(2)), h = anchor.height() * std::exp(back(3));
      const double x = (anchor.x0 + anchor.x1) / 2 + back(0) * anchor.width();
      const double y = (anchor.y0 + anchor.y1) / 2 + back(1) * anchor.height();
      EXPECT_NEAR(x - w / 2, box.x0, 1e-5);
      EXPECT_NEAR(y - h / 2, box.y0, 1e-5);
      EXPECT_NEAR(x + w / 2, box.x1, 1e-5);
      EXPECT_NEAR(y + h / 2, box.y1, 1e-5);
    }
  }
  Tensor out, labels;
  const std::vector<BoxEdges> flat = {{0, 0, 1, 0}};
  EXPECT_NE(error_of<std::invalid_argument>([&] {
              encode_anchors(flat, {}, {}, 0.5, scale, out, labels);
            }).find("encode_anchors: anchor 0 has no area"),
            std::string::npos);
}

}  // namespace encode_anchors_test

namespace random_bbox_crop_test {

TEST(RandomBboxCrop, RegionsHaveWhatIsAskedFor) {
  const std::array<float, 1> half = {0.5f};
  int smaller = 0, whole = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random({.seed = 5, .sample = i});
    const int width = 20 + static_cast<int>(random.below(200));
    const int height = 20 + static_cast<int>(random.below(200));
    const auto boxes = draw_boxes(random, 1 + random.below(4), width, height);
    const CropOfBoxes crop =
        random_bbox_crop(random, boxes, height, width, {.thresholds = half, .rounds = 3});
    const Rectangle& r = crop.region;
    ASSERT_TRUE(r.x >= 0 && r.y >= 0 && r.x + r.width <= width && r.y + r.height <= height);
    if (r == Rectangle{0, 0, height, width}) {
      ++whole;
      EXPECT_EQ(crop.kept.size(), boxes.size());
      continue;
    }
    ++smaller;
    EXPECT_GE(2 * r.width, r.height);
    EXPECT_GE(2 * r.height, r.width);
    EXPECT_GE(r.width, static_cast<int>(0.3 * width));
    ASSERT_EQ(crop.kept.size(), crop.boxes.size());
    const BoxEdges edges = box_of(r);
    double best = 0;
    std::size_t next = 0;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const double x = (boxes[b].x0 + boxes[b].x1) / 2, y = (boxes[b].y0 + boxes[b].y1) / 2;
      if (!(x > r.x && x < r.x + r.width && y > r.y && y < r.y + r.height)) continue;
      best = std::max(best, iou(boxes[b], edges));
      ASSERT_LT(next, crop.kept.size());
      EXPECT_EQ(crop.kept[next], static_cast<std::int64_t>(b));
      const BoxEdges& kept = crop.boxes[next++];
      EXPECT_DOUBLE_EQ(kept.x0, std::max(boxes[b].x0 - r.x, 0.0));
      EXPECT_DOUBLE_EQ(kept.y1, std::min(boxes[b].y1 - r.y, static_cast<double>(r.height)));
    }
    EXPECT_EQ(next, crop.kept.size());
    EXPECT_GE(best, 0.5);
  }
  EXPECT_GT(smaller, 30);
  EXPECT_GT(whole, 30);
}

TEST(RandomBboxCrop, ThresholdsAreAsLikely) {
  std::array<float, 7> thresholds{};
  const std::vector<BoxEdges> none;
  int whole = 0;
  for (std::uint64_t i = 0; i < 700; ++i) {
    Random random({.seed = 9, .sample = i});
    thresholds.fill(0);
    thresholds[3] = 1;
    const std::vector<BoxEdges> box = {{0, 0, 100, 100}};
    const auto crop = random_bbox_crop(random, box, 100, 100, {.thresholds = thresholds});
    whole += crop.region == Rectangle{0, 0, 100, 100} ? 1 : 0;
    EXPECT_EQ(random_bbox_crop(random, none, 9, 8, {.thresholds = thresholds}).region,
              (Rectangle{0, 0, 9, 8}));
  }
  EXPECT_NEAR(whole, 100, 35);  // 3.8 standard deviations
}

}  // namespace random_bbox_crop_test
}  // namespace sluice::kernels

namespace sluice {
namespace kernels_one_hot_test {

using kernels::one_hot;

TEST(OneHotKernel, FollowsTheFormula) {
  Tensor out;
  for (const int classes : {1, 2, 3, 10}) {
    for (const float smoothing : {0.f, 0.3f, 1.f}) {
      for (int label = 0; label < classes; ++label) {
        one_hot(label, classes, smoothing, out);
        ASSERT_EQ(out.shape(), Shape{classes});
        const Tensor& made = out;
        for (int k = 0; k < classes; ++k) {
          const double s = static_cast<double>(smoothing), own = k == label ? 1 - s : 0;
          EXPECT_NEAR(static_cast<double>(made.data<float>()[k]), own + s / classes, 1e-7);
        }
      }
    }
  }
  one_hot(1, 3, 0, out);
  EXPECT_EQ(out.data<float>()[0], 0.f);
  EXPECT_EQ(out.data<float>()[1], 1.f);
}

TEST(OneHotKernel, RefusesLabelsOutside) {
  Tensor out;
  for (const std::int64_t label : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 40})
    EXPECT_THROW(one_hot(label, 3, 0, out), std::invalid_argument) << label;
}

}  // namespace kernels_one_hot_test
}  // namespace sluice
