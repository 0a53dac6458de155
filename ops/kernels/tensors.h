// cat and reshape: two tensors one after the other along a dimension, and the same elements in
// another shape.
//
// Errors: std::invalid_argument for tensors whose types, numbers of dimensions or other sizes
// differ, a dimension that there is not, and a shape that has not as many elements. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <array>
#include <cstdint>

namespace sluice::kernels {

// The dimension, from 0, for one that may count back from -1. Throws where there is none.
int dimension_of(const char* op, int axis, int rank);

// What cat() makes, and of how many pieces of each tensor, one of the first before one of the
// second: all that lies before the dimension.
struct Joined {
  Shape shape;
  Layout layout = Layout::none;  // theirs, if both have the same
  std::int64_t pieces = 1;
};
// Dimensions count from 0, or back from -1, the last one.
Joined joined(const Tensor& a, const Tensor& b, int axis);
void cat(const Tensor& a, const Tensor& b, int axis, Tensor& out);

// `sizes`: one of them may be -1, and follows from the others.
struct NewShape {
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  int rank = 0;
  Layout layout = Layout::none;
};
void check_new_shape(const NewShape& shape);
// The sizes that follow, too.
Shape reshaped(const Tensor& in, const NewShape& shape);
void reshape(const Tensor& in, const NewShape& shape, Tensor& out);

}  // namespace sluice::kernels
