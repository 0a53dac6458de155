#include "tests/ops/kernels/drawn_boxes.h"
#include <sluice/ops/kernels/random_bbox_crop.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::kernels {
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
