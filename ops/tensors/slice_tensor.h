// slice_tensor: a part of a tensor, cut out along one dimension or several.
//
//   auto part = slice_tensor(tensor, {{.axis = 1, .start = y, .length = 64}});
//
// | takes                       | gives                                         |
// |-----------------------------|-----------------------------------------------|
// | a tensor of any type        | a tensor of as many dimensions, and its type  |
//
// See ops/kernels/slice_tensor.h. Errors of a sample: a dimension that its tensor does not have,
// and elements beyond the tensor's.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <vector>

namespace sluice {

// Of one dimension.
struct TensorRange {
  int axis = 0;                     // from 0, or back from -1, the last one
  Param<std::int64_t> start = 0;    // from 0 on
  Param<std::int64_t> length = -1;  // -1: all that are left
};

// One after the other. Throws BuildError where there is none.
Value<Tensor> slice_tensor(Value<Tensor> tensor, const std::vector<TensorRange>& ranges);

namespace detail {
const OperatorPtr& slice_tensor_operator();  // (tensor, axis, start, length)
}  // namespace detail

}  // namespace sluice
