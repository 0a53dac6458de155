// elementwise: arithmetic, bits and comparison of two tensors, element by element, and elements as
// another type.
//
// Shapes are aligned at their last dimensions, as in NumPy: sizes are the same, or one of them is 1
// or not there, and its element stands for all.
//
// Types and results are those of runtime/arithmetic.h, with one exception: divide makes f32 of
// whole numbers. f16 and f32 are computed as float, f64 as double.
//
// Errors: std::invalid_argument for shapes that do not fit together, for bits of fractions and for
// a number that a tensor's type does not hold; std::overflow_error for an element that the result's
// type does not hold; std::domain_error for a division of whole numbers by zero; std::range_error
// for a cast to a type that does not hold an element. Threads: any.
#pragma once

#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/tensor.h>

namespace sluice::kernels {

// The operations on two numbers.
using Elementwise = detail::NumberOperation;

// The type of the result. Throws std::invalid_argument for bits of fractions.
DType elementwise_type(Elementwise what, DType a, DType b);
// The type that a number has beside a tensor of this type: the tensor's, but f32 for a fraction
// beside whole numbers, and i64 for a whole number beside bool.
DType type_beside(DType tensor, bool whole);
// A tensor of rank 0. If its type does not hold the number, throws std::invalid_argument; for
// comparisons the tensor then has another type that holds it.
Tensor number_beside(Elementwise what, DType tensor, double number, bool whole);

void elementwise(Elementwise what, const Tensor& a, const Tensor& b, Tensor& out);
// Each element without its sign.
void absolute(const Tensor& in, Tensor& out);

// Fractions are cut off. As a bool, 0 is false and all other numbers are true.
void cast(const Tensor& in, DType type, Tensor& out);

}  // namespace sluice::kernels
