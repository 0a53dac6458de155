#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/brightness_contrast.h>

namespace sluice::kernels {

void check_brightness_contrast(float brightness, float contrast, float contrast_center,
                               float shift) {
  check_not_negative("brightness_contrast", "brightness", brightness);
  check_not_negative("brightness_contrast", "contrast", contrast);
  check_finite("brightness_contrast", "contrast_center", contrast_center);
  check_finite("brightness_contrast", "brightness_shift", shift);
}

LevelTable brightness_contrast_table(float brightness, float contrast, float contrast_center,
                                     float shift) {
  check_brightness_contrast(brightness, contrast, contrast_center, shift);
  const double center = contrast_center;
  const double more = 255.0 * static_cast<double>(shift);
  return level_table_of(
      [&](double x) { return ((x - center) * contrast + center) * brightness + more; });
}

void brightness_contrast(const Image& in, float brightness, float contrast, float contrast_center,
                         float shift, Image& out) {
  check_pixels("brightness_contrast", in);
  map_levels(in, brightness_contrast_table(brightness, contrast, contrast_center, shift), out);
}

}  // namespace sluice::kernels
