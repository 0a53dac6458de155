// elementwise: arithmetic, bits and comparison of two tensors, element by element, and elements as
// another type.
//
// Shapes are aligned at their last dimensions, as in NumPy: sizes are the same, or one of them is 1
// or not there, and its element stands for all.
//
// Types: two types of fractions give the wider one; of fractions and whole numbers, those of the
// fractions; two whole ones the narrowest that holds both, bool and u8 the same. divide makes f32
// of whole numbers. Whole results wrap around; comparisons give bool. The bits of two bools give
// bool, and negative numbers have the bits of two's complement. f16 and f32 are computed as float,
// f64 as double.
//
// Errors: std::invalid_argument for shapes that do not fit together, for bits of fractions, for a
// number that a tensor's type does not hold, and for fractions that a whole type does not hold.
// Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::kernels {

enum class Elementwise : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal
};
const char* name_of(Elementwise what);

// The type of the result. Throws std::invalid_argument for bits of fractions.
DType elementwise_type(Elementwise what, DType a, DType b);
// The type that a number has beside a tensor of this type: the tensor's, but f32 for a fraction
// beside whole numbers, and i64 for a whole number beside bool.
DType type_beside(DType tensor, bool whole);
// A tensor of rank 0. Throws std::invalid_argument where its type does not hold the number.
Tensor number_beside(DType tensor, double number, bool whole);

void elementwise(Elementwise what, const Tensor& a, const Tensor& b, Tensor& out);

// Fractions are cut off; not a number and what `type` does not hold are errors. Whole numbers wrap
// around; all but 0 is true.
void cast(const Tensor& in, DType type, Tensor& out);

}  // namespace sluice::kernels
