// random_bbox_crop: SSD's region of a picture with boxes (Liu et al., "SSD: single shot multibox
// detector", 2016, section 2.2), drawn as torchvision's RandomIoUCrop draws it.
//
// One of the thresholds is drawn, all alike. Of a threshold of 1 or more the result is the whole
// picture. Else, as often as `attempts` says, width and height are drawn, each a share from
// min_scale to max_scale, and the place; the region will do when width / height lies between
// min_ratio and max_ratio, the middle of a box at least lies within it, and one of these boxes
// overlaps it (intersection over union) by at least the threshold. When none will do, a threshold
// is drawn anew; after `rounds` of them it is the whole picture, as it is where there are no boxes.
//
// Boxes whose middle lies within the region are kept, cut to it.
//
// Errors: none. Threads: any.
#pragma once

#include <sluice/ops/kernels/boxes.h>
#include <sluice/runtime/random.h>

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::kernels {

struct RandomBboxCrop {
  std::span<const float> thresholds;
  double min_scale = 0.3, max_scale = 1;
  double min_ratio = 0.5, max_ratio = 2;
  int attempts = 40;
  int rounds = 50;
};
struct CropOfBoxes {
  Rectangle region;
  std::vector<BoxEdges> boxes;     // counted from the corner of the region
  std::vector<std::int64_t> kept;  // their numbers among those given
};
CropOfBoxes random_bbox_crop(Random& random, std::span<const BoxEdges> boxes, int height, int width,
                             const RandomBboxCrop& how);

}  // namespace sluice::kernels
