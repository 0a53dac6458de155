#include <sluice/ops/kernels/encode_anchors.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_areas(const char* what, std::span<const BoxEdges> boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].area() > 0) continue;
    throw std::invalid_argument(fmt::format(
        "encode_anchors: {} {} has no area; filter_boxes() leaves such boxes out", what, i));
  }
}

struct Pair {
  double overlap = 0;
  std::size_t anchor = 0;
  std::size_t box = 0;
};

}  // namespace

std::vector<std::int64_t> match_anchors(std::span<const BoxEdges> anchors,
                                        std::span<const BoxEdges> boxes, double iou_wanted) {
  std::vector<std::int64_t> match(anchors.size(), -1);
  std::vector<double> best(anchors.size(), 0);
  std::vector<Pair> pairs;  // overlapping anchors and boxes
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    for (std::size_t a = 0; a < anchors.size(); ++a) {
      const double overlap = iou(anchors[a], boxes[b]);
      if (overlap <= 0) continue;
      pairs.push_back({overlap, a, b});
      if (overlap >= iou_wanted && overlap > best[a]) {
        best[a] = overlap;
        match[a] = static_cast<std::int64_t>(b);
      }
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& one, const Pair& other) { return one.overlap > other.overlap; });
  std::vector<char> anchor_taken(anchors.size(), 0), box_done(boxes.size(), 0);
  for (const Pair& pair : pairs) {
    if (anchor_taken[pair.anchor] != 0 || box_done[pair.box] != 0) continue;
    anchor_taken[pair.anchor] = box_done[pair.box] = 1;
    match[pair.anchor] = static_cast<std::int64_t>(pair.box);
  }
  return match;
}

void encode_anchors(std::span<const BoxEdges> anchors, std::span<const BoxEdges> boxes,
                    std::span<const std::int64_t> labels, double iou_wanted,
                    const OffsetScale& scale, Tensor& offsets, Tensor& anchor_labels) {
  check_areas("anchor", anchors);
  check_areas("box", boxes);
  const std::vector<std::int64_t> match = match_anchors(anchors, boxes, iou_wanted);
  const auto count = static_cast<std::int64_t>(anchors.size());
  offsets.create({count, 4}, DType::f32);
  anchor_labels.create({count}, DType::i64);
  auto* numbers = offsets.data<float>();
  auto* label = anchor_labels.data<std::int64_t>();
  for (std::size_t i = 0; i < anchors.size(); ++i, numbers += 4, ++label) {
    std::fill(numbers, numbers + 4, 0.f);
    *label = 0;
    if (match[i] < 0) continue;
    const auto of = static_cast<std::size_t>(match[i]);
    const BoxEdges& a = anchors[i];
    const BoxEdges& b = boxes[of];
    const double offset[] = {(b.x0 + b.x1 - a.x0 - a.x1) / 2 / a.width(),
                             (b.y0 + b.y1 - a.y0 - a.y1) / 2 / a.height(),
                             std::log(b.width() / a.width()), std::log(b.height() / a.height())};
    for (std::size_t k = 0; k < 4; ++k) {
      const double number = (offset[k] - scale.mean[k]) / scale.std[k];
      check_in_range("encode_anchors", "the offset of anchor", static_cast<std::int64_t>(i),
                     number);
      numbers[k] = static_cast<float>(number);
    }
    *label = labels[of];
  }
}

}  // namespace sluice::kernels
