// elastic: elastic deformation by a smoothed random displacement field.
//
// The displacement of each pixel along x and along y is uniform in [-1, 1), blurred over the image
// by a Gaussian of `sigma` pixels (window (8 sigma + 1) | 1, borders reflected), times alpha / 2
// pixels. For square images these are exactly torchvision's alpha and sigma.
//
// The draws are those of `random` from its first one on: for each pixel's x, row by row, then for
// each y. `random` does not advance. Errors: std::invalid_argument for an empty image, more than 4
// channels, and numbers outside the ranges of ElasticParams. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <vector>

namespace sluice::kernels {

inline constexpr float kLargestElasticAlpha = 1e5f;
inline constexpr float kLargestElasticSigma = 64;

struct ElasticParams {
  float alpha = 50;  // 0 to kLargestElasticAlpha
  float sigma = 5;   // 0, which does not blur, to kLargestElasticSigma
};

// Throws the errors of elastic().
void check_elastic(const Image& in, const ElasticParams& params, const WarpOptions& options);
// Returns the weights of the window of `sigma`, which is not 0.
std::vector<float> elastic_weights(float sigma);

void elastic(const Random& random, const Image& in, const ElasticParams& params,
             const WarpOptions& options, Image& out);

// Blurs height x width numbers in place.
void blur_shifts(std::vector<float>& numbers, int height, int width, float sigma);

}  // namespace sluice::kernels
