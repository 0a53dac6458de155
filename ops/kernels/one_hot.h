// one_hot: converts a class number to a vector of probabilities, f32.
//
//   out[k] = (k == label ? 1 - smoothing : 0) + smoothing / classes
//
// Errors: std::invalid_argument for a label outside 0 .. classes - 1. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

inline constexpr int kMostClasses = 1 << 24;

// classes: 1 to kMostClasses; smoothing: 0 to 1.
void one_hot(std::int64_t label, int classes, float smoothing, Tensor& out);

}  // namespace sluice::kernels
