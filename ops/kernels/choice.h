// choice: the place of one of several weights, drawn with a probability that is its share of their
// sum. Takes one draw of 64 bits; a weight of 0 is never chosen.
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
