// sum: sums all pixel values of an image, or all elements of a tensor.
//
// The sum of whole numbers and bools as i64 is exact. Fractions, and 64-bit numbers whose sum is a
// fraction, are added in double precision, in an order that depends on the shape only. The sum of
// no elements is 0.
//
// Errors: std::invalid_argument for fractions with a sum of type i64, std::overflow_error for a
// finite sum that the type does not hold. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

// Throws if the elements are fractions and `to` is not.
void check_sum(DType elements, DType to);

// To is std::int64_t, float or double.
template <class To>
To sum(const Tensor& in);

extern template std::int64_t sum<std::int64_t>(const Tensor& in);
extern template float sum<float>(const Tensor& in);
extern template double sum<double>(const Tensor& in);

}  // namespace sluice::kernels
