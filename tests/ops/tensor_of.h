// tensor_of: the numbers as a tensor of one dimension.
#pragma once

#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sluice::testing {

template <class T>
Tensor tensor_of(const std::vector<T>& numbers) {
  Tensor tensor({static_cast<std::int64_t>(numbers.size())}, dtype_of<T>::value);
  std::copy(numbers.begin(), numbers.end(), tensor.data<T>());
  return tensor;
}

}  // namespace sluice::testing
