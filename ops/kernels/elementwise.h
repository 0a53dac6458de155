// elementwise: arithmetic, bit operations and comparison of two tensors, element by element, and
// type conversion.
//
// Shapes are aligned at their last dimensions and broadcast as in NumPy: sizes must be equal, or
// one of them is 1 or missing and its element is repeated.
//
// Types and results are those of runtime/arithmetic.h, with one exception: divide returns f32 for
// whole numbers. f16 and f32 are computed as float, f64 as double. bf16 counts as f32, so results
// of bf16 are f32.
//
// Errors: std::invalid_argument for shapes that do not fit together, for bits of fractions and for
// a number that a tensor's type does not hold; std::overflow_error for an element that the result's
// type does not hold; std::domain_error for a division of whole numbers by zero; std::range_error
// for a cast to a type that does not hold an element. Threads: any.
#pragma once

#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/tensor.h>

#include <array>

namespace sluice::kernels {

// The operations on two numbers.
using Elementwise = detail::NumberOperation;

// The type of the result. Throws std::invalid_argument for bits of fractions.
DType elementwise_type(Elementwise what, DType a, DType b);
// Returns the type of a number beside a tensor of this type: the tensor's, but f32 for a fraction
// beside whole numbers, and i64 for a whole number beside bool.
DType type_beside(DType tensor, bool whole);
// Returns the number as a tensor of rank 0. If the tensor's type does not hold it, throws
// std::invalid_argument; for comparisons it returns a tensor of another type that holds it.
Tensor number_beside(Elementwise what, DType tensor, double number, bool whole);

// The result of an operation, and where its elements come from.
struct ElementwisePlan {
  DType dtype{};
  Shape shape{};
  Layout layout{};
  Shape rows{};  // `shape` with dimensions merged where possible; elements keep their order
  std::array<Strides, 2> strides{};  // of both sides, for `rows`; 0 where an element is repeated
};
ElementwisePlan plan_elementwise(Elementwise what, const Tensor& a, const Tensor& b);
// For one tensor; both sides are the same.
ElementwisePlan plan_elementwise(const Tensor& in, DType type);

void elementwise(Elementwise what, const Tensor& a, const Tensor& b, Tensor& out);
// Unary operations: absolute, square_root, exponential, logarithm. For whole numbers, the last
// three return f32.
void elementwise(Elementwise what, const Tensor& in, Tensor& out);

// Fractions are truncated. As a bool, 0 is false and all other numbers are true.
void cast(const Tensor& in, DType type, Tensor& out);

}  // namespace sluice::kernels
