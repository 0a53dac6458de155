// color_twist: brightness, contrast, saturation and hue in one matrix (colour_matrix.h), as DALI's
// operator of that name has it.
//
//   out = brightness * (contrast * (RGB of YIQ) * turn(hue) * diag(1, saturation, saturation) *
//                       (YIQ of RGB) * x + 128 * (1 - contrast))
//
// The matrices between RGB and YIQ are DALI's, of three digits. They are not quite inverse to one
// another: where hue is 0 and saturation 1 their product is left out here, so that nothing changes
// what is not to be changed; DALI makes white's blue 254. The hue is turned linearly in the
// plane of I and Q: for hues by HSV, see hue.h. The matrix is computed in double precision. A
// picture of one channel has no hue and no saturation; a fourth channel stays as it is.
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
