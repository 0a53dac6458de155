#include "tests/error_of.h"
#include "tests/ops/kernels/drawn_boxes.h"
#include <sluice/ops/kernels/encode_anchors.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::kernels {
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
}  // namespace sluice::kernels
