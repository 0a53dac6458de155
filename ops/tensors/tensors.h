// cat, stack and reshape: tensors joined, and in another shape.
//
// |         | takes                          | gives a Tensor                             |
// |---------|--------------------------------|--------------------------------------------|
// | cat     | tensors                        | one after the other along a dimension      |
// | stack   | tensors or pictures of a shape | side by side along a dimension that is new |
// | reshape | a tensor                       | the same elements in order, in a new shape |
//
// Any type of numbers. See ops/kernels/tensors.h. Errors of a sample: shapes that do not fit.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <vector>

namespace sluice {

// Dimensions count from 0, or back from -1, the last one.
Value<Tensor> cat(Value<Tensor> a, Value<Tensor> b, int axis = 0);
// Throws BuildError where there is none.
Value<Tensor> cat(const std::vector<Value<Tensor>>& tensors, int axis = 0);

// `axis`: where the new dimension stands, from 0. Throws BuildError where there is none.
Value<Tensor> stack(const std::vector<Value<Tensor>>& tensors, int axis = 0);
Value<Tensor> stack(const std::vector<Value<Image>>& pictures, int axis = 0);
// Of a list that each sample makes: zeros stand for what it has fewer than `length`; more are the
// error of the sample.
Value<Tensor> stack(Value<std::vector<Tensor>> tensors, Param<std::int64_t> length, int axis = 0);
Value<Tensor> stack(Value<std::vector<Image>> pictures, Param<std::int64_t> length, int axis = 0);

// One of the sizes may be -1, and follows from the others. Throws BuildError for more than 6 sizes
// and for more than one that follows.
Value<Tensor> reshape(Value<Tensor> tensor, const std::vector<std::int64_t>& sizes,
                      Layout layout = Layout::none);

namespace detail {
const OperatorPtr& cat_operator();
const OperatorPtr& reshape_operator();
}  // namespace detail

}  // namespace sluice
