// Slices of tensors along an axis: take_slice() copies one out, stack_slices() stacks several.
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

// Stacks the slices along a new dimension at `axis`, from 0 to their rank, which is at most 5. All
// have one shape and type. Empty ones become zeros; if all are empty, so is `out`. The layout of
// `out` is none.
void stack_slices(const std::vector<Tensor>& slices, int axis, Tensor& out);
// The same for pointers to tensors; null means zeros.
void stack_slices(std::span<const Tensor* const> slices, int axis, Tensor& out);

}  // namespace sluice
