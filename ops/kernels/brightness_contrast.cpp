#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/brightness_contrast.h>

namespace sluice::kernels {

LevelTable brightness_contrast_table(float brightness, float contrast, float contrast_center) {
  check_not_negative("brightness_contrast", "brightness", brightness);
  check_not_negative("brightness_contrast", "contrast", contrast);
  check_finite("brightness_contrast", "contrast_center", contrast_center);
  const double center = contrast_center;
  return level_table_of([&](double x) { return ((x - center) * contrast + center) * brightness; });
}

void brightness_contrast(const Image& in, float brightness, float contrast, float contrast_center,
                         Image& out) {
  check_pixels("brightness_contrast", in);
  map_levels(in, brightness_contrast_table(brightness, contrast, contrast_center), out);
}

}  // namespace sluice::kernels
