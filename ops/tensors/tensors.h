// cat and reshape: tensors joined, and in another shape.
//
// | takes          | gives                                                  |
// |----------------|--------------------------------------------------------|
// | Tensor, Tensor | Tensor: the second one after the first along a dimension |
// | Tensor         | Tensor: the same elements in order, in another shape    |
//
// Any type of numbers. See ops/kernels/tensors.h. Errors of a sample: shapes that do not fit.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <vector>

namespace sluice {

// Dimensions count from 0, or back from -1, the last one.
Value<Tensor> cat(Value<Tensor> a, Value<Tensor> b, int axis = 0);

// One of the sizes may be -1, and follows from the others. Throws BuildError for more than 6 sizes
// and for more than one that follows.
Value<Tensor> reshape(Value<Tensor> tensor, const std::vector<std::int64_t>& sizes,
                      Layout layout = Layout::none);

namespace detail {
const OperatorPtr& cat_operator();
const OperatorPtr& reshape_operator();
}  // namespace detail

}  // namespace sluice
