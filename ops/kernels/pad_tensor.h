// pad_tensor: a tensor that is made longer along a dimension, with one number behind its elements.
//
// Errors: std::invalid_argument for a dimension that there is not, a length or an alignment that
// cannot be, and a number that the tensor's type does not hold. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

struct TensorMargin {
  int axis = 0;             // from 0, or back from -1, the last one
  std::int64_t length = 0;  // of the result at least
  std::int64_t align = 1;   // of which the result's length is a multiple
  double fill = 0;
};

// A tensor that is long enough stays as it is: it is never cut.
void pad_tensor(const Tensor& in, const TensorMargin& margin, Tensor& out);

}  // namespace sluice::kernels
