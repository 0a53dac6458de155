// The quantiles of the standard normal distribution: a number of it for 16 random bits, much faster
// than by a formula. Internal to the kernels of noise.
//
// Threads: any.
#pragma once

#include <array>

namespace sluice::kernels {

inline constexpr int kQuantiles = 1 << 16;

// Entry i is what a share of (i + 0.5) / kQuantiles lies below; the outermost are -4.3 and 4.3.
const std::array<float, kQuantiles>& normal_quantiles();

}  // namespace sluice::kernels
