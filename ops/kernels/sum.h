// sum: of all levels of a picture, or of all elements of a tensor.
//
// The sum of whole numbers and bools as i64 is exact. Fractions, and numbers of 64 bits whose sum
// is a fraction, are added in double precision, in an order that the shape alone decides. The sum
// of no elements is 0.
//
// Errors: std::invalid_argument for fractions whose sum is to be i64, std::overflow_error for a
// finite sum that the type does not hold. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

// Throws where the elements are fractions and their sum is not.
void check_sum(DType elements, DType to);

// To is std::int64_t, float or double.
template <class To>
To sum(const Tensor& in);

extern template std::int64_t sum<std::int64_t>(const Tensor& in);
extern template float sum<float>(const Tensor& in);
extern template double sum<double>(const Tensor& in);

}  // namespace sluice::kernels
