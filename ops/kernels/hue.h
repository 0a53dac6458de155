// hue: colours turned round the circle of hues by so many degrees, by HSV.
//
// As torchvision's adjust_hue, whose factor is degrees / 360, of floats: the hue of a colour is
// where its levels lie between the largest, V, and the smallest, V - C; V and C stay. Of hue h, in
// sixths of the circle, the new level of each channel is
//
//   V - C * clamp(min(k, 4 - k), 0, 1),  k = (n + h) mod 6,  n = 5, 3, 1 for red, green, blue
//
// rounded to nearest. A gray pixel, a picture of one channel and a fourth channel stay as they are.
// Computed in single precision, with the clamped number in steps of 2^-15, so that the product and
// the difference are exact and all instruction sets give the same bytes.
//
// Errors: std::invalid_argument for an empty image, one of 2 or more than 4 channels, degrees that
// are not finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/planes.h>
#include <sluice/runtime/image.h>

#include <cstddef>

namespace sluice::kernels {

void hue(const Image& in, float degrees, Image& out);

// The inner loop, in hue_rows.cpp: in place, of the first `count` pixels and perhaps beyond.
// `sixths`: of the circle, at least 0 and at most 6.
void hue_of_planes(float sixths, std::size_t count, Planes& planes);

}  // namespace sluice::kernels
