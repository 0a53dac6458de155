// blend and weighted_sum: pictures of one shape laid over each other.
//
//   blend          a + weight * (b - a)
//   weighted_sum   w[0] * x[0] + w[1] * x[1] + ...
//
// Rounded to nearest and cut to 255. Weights are numbers of 15 bits and each product has 7 bits
// after the point, so a level lies within 0.5 + 0.008 for each picture of the exact sum.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, pictures that differ in
// shape, no pictures or more than kMostPictures, another number of weights than pictures, or a
// weight outside of 0 .. 1. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <span>

namespace sluice::kernels {

inline constexpr std::size_t kMostPictures = 64;

// What blend() refuses.
void check_blend(const Image& a, const Image& b, float weight);

void blend(const Image& a, const Image& b, float weight, Image& out);
void weighted_sum(std::span<const Image> pictures, std::span<const float> weights, Image& out);

}  // namespace sluice::kernels
