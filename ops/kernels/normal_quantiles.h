// The quantiles of the standard normal distribution: turns 16 random bits into a normal number,
// much faster than a formula. Internal to the noise kernels.
//
// Threads: any.
#pragma once

#include <array>

namespace sluice::kernels {

inline constexpr int kQuantiles = 1 << 16;

// Entry i is the quantile of the probability (i + 0.5) / kQuantiles; the outermost are -4.3 and
// 4.3.
const std::array<float, kQuantiles>& normal_quantiles();

}  // namespace sluice::kernels
