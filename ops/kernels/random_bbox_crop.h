// random_bbox_crop: draws SSD's region of an image with boxes (Liu et al., "SSD: single shot
// multibox detector", 2016, section 2.2), like torchvision's RandomIoUCrop.
//
// A threshold is drawn uniformly. For a threshold of 1 or more the result is the whole image.
// Otherwise, up to `attempts` times, width and height are drawn, each a share from min_scale to
// max_scale, and the position. A region is accepted if width / height lies between min_ratio and
// max_ratio, it contains the center of at least one box, and it overlaps one of these boxes
// (intersection over union) by at least the threshold. If no region is accepted, another threshold
// is drawn. After `rounds` thresholds the result is the whole image; so it is without boxes.
//
// Boxes whose center lies within the region are kept and clipped to it.
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
  std::vector<BoxEdges> boxes;     // relative to the corner of the region
  std::vector<std::int64_t> kept;  // their indices in the input
};
CropOfBoxes random_bbox_crop(Random& random, std::span<const BoxEdges> boxes, int height, int width,
                             const RandomBboxCrop& how);

}  // namespace sluice::kernels
