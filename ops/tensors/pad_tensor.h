// pad_tensor: a tensor that is made longer along one dimension or several, with one number behind
// its elements.
//
//   auto padded = pad_tensor(boxes, {{.length = 100}}, -1);
//
// | takes                       | gives                                         |
// |-----------------------------|-----------------------------------------------|
// | a tensor of any type        | a tensor of as many dimensions, and its type  |
//
// Pictures have pad_image. See ops/kernels/pad_tensor.h. Errors of a sample: a dimension that its
// tensor does not have, and a number that the type of its elements does not hold.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <vector>

namespace sluice {

// Of one dimension. A tensor that is longer is not cut.
struct TensorPadding {
  int axis = 0;                    // from 0, or back from -1, the last one
  Param<std::int64_t> length = 0;  // of the result at least
  Param<std::int64_t> align = 1;   // of which the result's length is a multiple
};

// One after the other. Throws BuildError where there is none.
Value<Tensor> pad_tensor(Value<Tensor> tensor, const std::vector<TensorPadding>& paddings,
                         Param<double> fill = 0);

namespace detail {
const OperatorPtr& pad_tensor_operator();  // (tensor, axis, length, align, fill)
}  // namespace detail

}  // namespace sluice
