// For random programs: one of the operators that keep an image's size, on the host or on a device.
// The image has 1, 3 or 4 channels.
#pragma once

#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/noise.h>
#include <sluice/ops/occlusion.h>
#include <sluice/runtime/image.h>

#include <cstddef>

namespace sluice::device {

inline constexpr std::size_t kChanges = 18;

inline Value<Image> one_change(Graph& g, const Value<Image>& image, std::size_t which) {
  switch (which) {
    case 0:
      return invert(image);
    case 1:
      return shear(image, {.x = g.uniform(-0.3f, 0.3f), .border = Border::edge});
    case 2:
      return translate(image, {.y = 2.5f, .x = g.uniform(-9.f, 9.f), .fill = 99});
    case 3:
      return posterize(image, 3);
    case 4:
      return solarize(image, g.uniform(50.f, 200.f));
    case 5:
      return sharpness(image, g.uniform(0.f, 2.f));
    case 6:
      return gaussian_blur(image, {.sigma = g.uniform(0.5f, 2.f)});
    case 7:
      return erase(image, {.y = g.uniform(0.f, 9.f), .height = 5.f, .width = 9.f, .fill = 200});
    case 8:
      return grid_mask(image, {.tile = 7, .degrees = g.uniform(0.f, 90.f)});
    case 9:
      return filter_2d(image, {{0.25f, 0.5f, 0.25f}});
    case 10:
      return autocontrast(image);
    case 11:
      return equalize(image);
    case 12:
      return contrast(image, g.uniform(0.5f, 1.5f));
    case 13:
      return gaussian_noise(image, {.stddev = g.uniform(1.f, 30.f)});
    case 14:
      return elastic(image, {.alpha = 9.f, .sigma = 1.5f, .border = Border::edge});
    case 15:
      return clahe(image, {.tiles_y = 2, .tiles_x = 3});
    case 16:
      return shot_noise(image, g.uniform(0.f, 6.f));
    default:
      return saturation(image, g.uniform(0.f, 2.f));
  }
}

}  // namespace sluice::device
