// slice_tensor: copies a range of a tensor along one dimension.
//
// Errors: std::invalid_argument for a missing dimension, and for a range beyond it. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

// Copies `length` elements from `start` on, which counts from 0; -1 copies all remaining ones.
// Dimensions count from 0, or from -1 backwards, the last one.
void slice_tensor(const Tensor& in, int axis, std::int64_t start, std::int64_t length, Tensor& out);

}  // namespace sluice::kernels
