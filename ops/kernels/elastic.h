// elastic: each pixel comes from a place a little aside, and neighbours from places close to each
// other, as if the picture were painted on rubber.
//
// The shift of each pixel, along x and along y, is a number that is uniform in [-1, 1), blurred
// over the picture by a Gaussian of `sigma` pixels (window (8 sigma + 1) | 1, borders reflected),
// times alpha / 2 pixels. These are torchvision's alpha and sigma, for square pictures exactly.
//
// The draws are those of `random` from its first one on: for each pixel's x, row by row, then for
// each y. None is used up. Errors: std::invalid_argument
// for an empty image, more than 4 channels, and numbers outside of what ElasticParams allows.
// Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <vector>

namespace sluice::kernels {

inline constexpr float kLargestElasticAlpha = 1e5f;
inline constexpr float kLargestElasticSigma = 64;

struct ElasticParams {
  float alpha = 50;  // up to kLargestElasticAlpha
  float sigma = 5;   // up to kLargestElasticSigma; 0 blurs nothing
};

// What elastic() refuses.
void check_elastic(const Image& in, const ElasticParams& params, const WarpOptions& options);
// Of the window of `sigma`, which is not 0.
std::vector<float> elastic_weights(float sigma);

void elastic(const Random& random, const Image& in, const ElasticParams& params,
             const WarpOptions& options, Image& out);

// Blurs height x width numbers in place.
void blur_shifts(std::vector<float>& numbers, int height, int width, float sigma);

}  // namespace sluice::kernels
