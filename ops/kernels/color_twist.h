// color_twist: changes brightness, contrast, saturation and hue by one matrix (colour_matrix.h),
// like DALI's operator of that name.
//
//   out = brightness * (contrast * (RGB of YIQ) * turn(hue) * diag(1, saturation, saturation) *
//                       (YIQ of RGB) * x + 128 * (1 - contrast))
//
// The matrices between RGB and YIQ are DALI's, with three digits. They are not quite inverse to
// each other. If hue is 0 and saturation 1, their product is omitted here, so that nothing changes;
// in DALI the blue of white becomes 254. The hue rotates linearly in the plane of I and Q; for hues
// by HSV, see hue.h. The matrix is computed in double precision. An image of one channel has no hue
// and no saturation; a fourth channel is not changed.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels, numbers that
// are not finite, and other than hue below zero. Threads: any.
#pragma once

#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

struct ColorTwist {
  float brightness = 1;
  float contrast = 1;
  float saturation = 1;
  float hue = 0;  // degrees
};

ColourMatrix color_twist_matrix(const ColorTwist& twist);
void color_twist(const Image& in, const ColorTwist& twist, Image& out);

}  // namespace sluice::kernels
