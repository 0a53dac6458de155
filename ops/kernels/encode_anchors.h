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
// Errors: std::invalid_argument for anchors or boxes without area. Threads: any.
#pragma once

#include <sluice/ops/kernels/boxes.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::kernels {

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

}  // namespace sluice::kernels
