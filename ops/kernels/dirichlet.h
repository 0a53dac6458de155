// Random numbers of the Beta and Dirichlet distributions, for MixUp, CutMix and AugMix.
//
// Based on gamma numbers from Marsaglia and Tsang, "A simple method for generating gamma
// variables", 2000, computed as logarithms: a small alpha produces weights of which one is nearly
// 1, and no 0 / 0.
//
// Errors: std::invalid_argument for an alpha outside of kSmallestAlpha .. kLargestAlpha, and for no
// numbers. Threads: any, each with a Random of its own.
#pragma once

#include <sluice/runtime/random.h>

#include <span>

namespace sluice::kernels {

inline constexpr float kSmallestAlpha = 1e-6f;
inline constexpr float kLargestAlpha = 1000;

// Returns a number in 0 to 1; Beta(alpha, alpha) is symmetric.
double beta(Random& random, double alpha, double other_alpha);
// Fills `out` with numbers of at least 0 whose sum is 1.
void dirichlet(Random& random, double alpha, std::span<double> out);

}  // namespace sluice::kernels
