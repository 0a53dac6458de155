// blend and weighted_sum: weighted sums of images of one shape.
//
//   blend          a + weight * (b - a)
//   weighted_sum   w[0] * x[0] + w[1] * x[1] + ...
//
// Results are rounded to nearest and clipped to 255. Weights have 15 bits and each product has 7
// fractional bits, so a result differs from the exact sum by at most 0.5, plus 0.008 per image.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, images that differ in
// shape, no images or more than kMostPictures, another number of weights than images, or a
// weight outside of 0 .. 1. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <span>

namespace sluice::kernels {

inline constexpr std::size_t kMostPictures = 64;

// Throws the errors of blend().
void check_blend(const Image& a, const Image& b, float weight);

void blend(const Image& a, const Image& b, float weight, Image& out);
void weighted_sum(std::span<const Image> pictures, std::span<const float> weights, Image& out);

}  // namespace sluice::kernels
