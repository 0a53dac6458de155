// brightness_contrast: changes brightness and contrast by one table of 256 values.
//
//   out = clamp(((x - center) * contrast + center) * brightness + 255 * shift, 0, 255), rounded
//                                                                                  to nearest
//
// The contrast comes first, with a mid-gray of 128 as the default pivot, then the brightness, then
// the shift. The result is clipped once, at the end. Computed in double precision; halves round up.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, numbers that are not
// finite, a brightness or contrast below zero. Threads: any.
#pragma once

#include <sluice/ops/kernels/level_table.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Throws if one of these is invalid.
void check_brightness_contrast(float brightness, float contrast, float contrast_center,
                               float shift);
// Returns the table of the new pixel values.
LevelTable brightness_contrast_table(float brightness, float contrast, float contrast_center,
                                     float shift = 0);
void brightness_contrast(const Image& in, float brightness, float contrast, float contrast_center,
                         float shift, Image& out);
inline void brightness_contrast(const Image& in, float brightness, float contrast,
                                float contrast_center, Image& out) {
  brightness_contrast(in, brightness, contrast, contrast_center, 0.0f, out);
}
inline void brightness_contrast(const Image& in, float brightness, float contrast, Image& out) {
  brightness_contrast(in, brightness, contrast, 128.0f, 0.0f, out);
}

}  // namespace sluice::kernels
