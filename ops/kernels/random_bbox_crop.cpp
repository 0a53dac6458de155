#include <sluice/ops/kernels/random_bbox_crop.h>

#include <algorithm>

namespace sluice::kernels {
namespace {

bool has_middle_of(const BoxEdges& region, const BoxEdges& box) {
  const double x = (box.x0 + box.x1) / 2, y = (box.y0 + box.y1) / 2;
  return region.x0 < x && x < region.x1 && region.y0 < y && y < region.y1;
}

bool will_do(const Rectangle& region, std::span<const BoxEdges> boxes, double threshold) {
  const BoxEdges edges = box_of(region);
  return std::any_of(boxes.begin(), boxes.end(), [&](const BoxEdges& box) {
    return has_middle_of(edges, box) && iou(edges, box) >= threshold;
  });
}

// Always takes four draws. Returns an empty region if its aspect ratio is not allowed.
Rectangle draw_region(Random& random, int height, int width, const RandomBboxCrop& how) {
  const auto length = [&](int of) {
    const double share = how.min_scale + (how.max_scale - how.min_scale) * random.unit_double();
    return static_cast<int>(of * share);
  };
  Rectangle region;
  region.width = length(width);
  region.height = length(height);
  region.x = static_cast<int>((width - region.width) * random.unit_double());
  region.y = static_cast<int>((height - region.height) * random.unit_double());
  if (region.width < 1 || region.height < 1) return {};
  const double ratio = static_cast<double>(region.width) / region.height;
  return ratio >= how.min_ratio && ratio <= how.max_ratio ? region : Rectangle{};
}

Rectangle find_region(Random& random, std::span<const BoxEdges> boxes, int height, int width,
                      const RandomBboxCrop& how) {
  const Rectangle whole{0, 0, height, width};
  if (boxes.empty() || how.thresholds.empty()) return whole;
  for (int round = 0; round < how.rounds; ++round) {
    const auto number = random.below(static_cast<std::uint32_t>(how.thresholds.size()));
    const auto threshold = static_cast<double>(how.thresholds[number]);
    if (threshold >= 1) return whole;
    for (int attempt = 0; attempt < how.attempts; ++attempt) {
      const Rectangle region = draw_region(random, height, width, how);
      if (region.width > 0 && will_do(region, boxes, threshold)) return region;
    }
  }
  return whole;
}

}  // namespace

CropOfBoxes random_bbox_crop(Random& random, std::span<const BoxEdges> boxes, int height, int width,
                             const RandomBboxCrop& how) {
  CropOfBoxes crop;
  crop.region = find_region(random, boxes, height, width, how);
  const BoxEdges edges = box_of(crop.region);
  const bool whole = crop.region == Rectangle{0, 0, height, width};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!whole && !has_middle_of(edges, boxes[i])) continue;
    const BoxEdges part = whole ? boxes[i] : intersection(boxes[i], edges);
    crop.boxes.push_back(
        {part.x0 - edges.x0, part.y0 - edges.y0, part.x1 - edges.x0, part.y1 - edges.y0});
    crop.kept.push_back(static_cast<std::int64_t>(i));
  }
  return crop;
}

}  // namespace sluice::kernels
