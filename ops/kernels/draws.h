// Random draws: numbers of the Beta and Dirichlet distributions, and a choice by weights.
//
// Threads: any, each with a Random of its own. Errors: std::invalid_argument, as each function's
// comment says.
#pragma once

#include <sluice/runtime/random.h>

#include <span>

namespace sluice::kernels {

// Random numbers of the Beta and Dirichlet distributions, for MixUp, CutMix and AugMix.
//
// Based on gamma numbers from Marsaglia and Tsang, "A simple method for generating gamma
// variables", 2000, computed as logarithms: a small alpha produces weights of which one is nearly
// 1, and no 0 / 0.
//
// Errors: an alpha outside of kSmallestAlpha .. kLargestAlpha, and no numbers.

inline constexpr float kSmallestAlpha = 1e-6f;
inline constexpr float kLargestAlpha = 1000;

// Returns a number in 0 to 1; Beta(alpha, alpha) is symmetric.
double beta(Random& random, double alpha, double other_alpha);
// Fills `out` with numbers of at least 0 whose sum is 1.
void dirichlet(Random& random, double alpha, std::span<double> out);

// choice: draws the index of one of several weights, with a probability proportional to its weight.
// Takes one draw of 64 bits; a weight of 0 is never chosen.
//
// Errors: no weights, or more than kMostChoices, one that is negative or not finite, and a sum of
// 0.

inline constexpr int kMostChoices = 64;

void check_choice(std::span<const float> weights);
int choice(Random& random, std::span<const float> weights);

}  // namespace sluice::kernels
