// Random boxes inside an image, for tests of kernels.
#pragma once

#include <sluice/ops/kernels/boxes.h>
#include <sluice/runtime/random.h>

#include <cstddef>
#include <vector>

namespace sluice::kernels {

inline std::vector<BoxEdges> draw_boxes(Random& random, std::size_t count, double width,
                                        double height) {
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

}  // namespace sluice::kernels
