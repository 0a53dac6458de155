// choice: draws the index of one of several weights, with a probability proportional to its weight.
// Takes one draw of 64 bits; a weight of 0 is never chosen.
//
// Errors: std::invalid_argument for no weights, or more than kMostChoices, one that is negative or
// not finite, and a sum of 0. Threads: any, each with a Random of its own.
#pragma once

#include <sluice/runtime/random.h>

#include <span>

namespace sluice::kernels {

inline constexpr int kMostChoices = 64;

void check_choice(std::span<const float> weights);
int choice(Random& random, std::span<const float> weights);

}  // namespace sluice::kernels
