// Tensors of one dimension less: taken out of a tensor along an axis, and put together again.
//
// Threads: pure functions of their inputs. Errors: std::invalid_argument for an axis or shapes that
// do not fit, std::out_of_range for an index that does not; `out` may then hold anything.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// out = tensor[..., index, ...]: element `index` along `axis`, both from 0. The layout of `out` is
// none.
void take_slice(const Tensor& tensor, int axis, std::int64_t index, Tensor& out);

// The slices along a new dimension at `axis`, from 0 to their rank, which is at most 5. All have
// one shape and type; those that are empty become zeros, and if all are, so is `out`. The layout of
// `out` is none.
void stack_slices(const std::vector<Tensor>& slices, int axis, Tensor& out);
// The same of tensors that lie anywhere; null: zeros.
void stack_slices(std::span<const Tensor* const> slices, int axis, Tensor& out);

}  // namespace sluice
