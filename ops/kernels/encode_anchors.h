// encode_anchors: the boxes of a picture as what a detector with anchors learns: SSD's matching and
// its offsets (Liu et al., "SSD: single shot multibox detector", 2016, section 2.2).
//
// Each box takes the anchor that it overlaps most (intersection over union), the box with the
// largest overlap first; besides, each anchor that is left takes the box that it overlaps most, if
// that is by `iou` at least. Of two that overlap alike the first one is taken. A box that overlaps
// no anchor has none.
//
// With middle (cx, cy) and size (w, h), an anchor a with the box b has
//
//   ((b.cx - a.cx) / a.w, (b.cy - a.cy) / a.h, log(b.w / a.w), log(b.h / a.h)),
//
// minus mean, over std, and the label of b; other anchors have zeros.
//
// Errors: std::invalid_argument for anchors or boxes without area. Threads: any.
#pragma once

#include <sluice/ops/kernels/boxes.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::kernels {

// For each anchor the number of its box, or -1.
std::vector<std::int64_t> match_anchors(std::span<const BoxEdges> anchors,
                                        std::span<const BoxEdges> boxes, double iou);

struct OffsetScale {
  std::array<double, 4> mean = {0, 0, 0, 0};
  std::array<double, 4> std = {1, 1, 1, 1};
};
// `labels`: one for each box. offsets: f32, anchors x 4; anchor_labels: i64.
void encode_anchors(std::span<const BoxEdges> anchors, std::span<const BoxEdges> boxes,
                    std::span<const std::int64_t> labels, double iou, const OffsetScale& scale,
                    Tensor& offsets, Tensor& anchor_labels);

}  // namespace sluice::kernels
