// hue: rotates the hues of an image by an angle in degrees, in HSV.
//
// As torchvision's adjust_hue on floats, whose factor is degrees / 360. The hue of a color is the
// position of its values between the largest, V, and the smallest, V - C; V and C do not change.
// For hue h, in sixths of the circle, the new value of each channel is
//
//   V - C * clamp(min(k, 4 - k), 0, 1),  k = (n + h) mod 6,  n = 5, 3, 1 for red, green, blue
//
// rounded to nearest. A gray pixel, an image of one channel and a fourth channel are not changed.
// Computed in single precision, with the clamped number in steps of 2^-15, so that the product and
// the difference are exact and all instruction sets produce the same bytes.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels, degrees that
// are not finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/planes.h>
#include <sluice/runtime/image.h>

#include <cstddef>

namespace sluice::kernels {

void hue(const Image& in, float degrees, Image& out);

// The inner loop, in hue_rows.cpp. Works in place on the first `count` pixels, and may change those
// after them. `sixths`: the rotation in sixths of the circle, 0 to 6.
void hue_of_planes(float sixths, std::size_t count, Planes& planes);

}  // namespace sluice::kernels
