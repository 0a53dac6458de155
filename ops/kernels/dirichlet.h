// Numbers of the Beta and Dirichlet distributions: what MixUp, CutMix and AugMix mix pictures with.
//
// By gamma numbers as of Marsaglia and Tsang, "A simple method for generating gamma variables",
// 2000, taken as logarithms: a small alpha gives weights of which one is nearly 1, and no 0 / 0.
//
// Errors: std::invalid_argument for an alpha outside of kSmallestAlpha .. kLargestAlpha, and for no
// numbers. Threads: any, each with a Random of its own.
#pragma once

#include <sluice/runtime/random.h>

#include <span>

namespace sluice::kernels {

inline constexpr float kSmallestAlpha = 1e-6f;
inline constexpr float kLargestAlpha = 1000;

// In 0 to 1; Beta(alpha, alpha) is symmetric.
double beta(Random& random, double alpha, double other_alpha);
// As many numbers as there is room for, each at least 0, which add up to 1.
void dirichlet(Random& random, double alpha, std::span<double> out);

}  // namespace sluice::kernels
