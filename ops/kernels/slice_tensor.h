// slice_tensor: of a tensor, what lies between two places along a dimension.
//
// Errors: std::invalid_argument for a dimension that there is not, and for places beyond it.
// Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

// `length` elements from `start` on, which counts from 0; -1: all that are left. Dimensions count
// from 0, or back from -1, the last one.
void slice_tensor(const Tensor& in, int axis, std::int64_t start, std::int64_t length, Tensor& out);

}  // namespace sluice::kernels
