// pad_tensor: extends a tensor along one dimension, with one number after its elements.
//
// Errors: std::invalid_argument for a missing dimension, an invalid length or alignment, and a
// number that the tensor's type does not hold. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

struct TensorMargin {
  int axis = 0;             // from 0, or from -1 backwards for the last dimensions
  std::int64_t length = 0;  // minimum length of the result
  std::int64_t align = 1;   // the result's length is a multiple of it
  double fill = 0;
};

// A tensor that is long enough is not changed: it is never cut.
void pad_tensor(const Tensor& in, const TensorMargin& margin, Tensor& out);

}  // namespace sluice::kernels
