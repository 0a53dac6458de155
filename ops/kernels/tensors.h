// cat and reshape: join two tensors along a dimension, and change the shape of a tensor.
//
// Errors: std::invalid_argument for tensors whose types, numbers of dimensions or other sizes
// differ, a missing dimension, and a shape with another number of elements. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <array>
#include <cstdint>

namespace sluice::kernels {

// Returns the dimension, from 0, for one that may count back from -1. Throws if it does not exist.
int dimension_of(const char* op, int axis, int rank);

// The result of cat(), and the number of alternating pieces of the two tensors: the product of the
// sizes before the dimension.
struct Joined {
  Shape shape;
  Layout layout = Layout::none;  // the common layout, if both have one
  std::int64_t pieces = 1;
};
// Dimensions count from 0, or from -1 backwards, the last one.
Joined joined(const Tensor& a, const Tensor& b, int axis);
void cat(const Tensor& a, const Tensor& b, int axis, Tensor& out);

// `sizes`: one of them may be -1 and follows from the others.
struct NewShape {
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  int rank = 0;
  Layout layout = Layout::none;
};
void check_new_shape(const NewShape& shape);
// Returns all sizes, including the one that follows.
Shape reshaped(const Tensor& in, const NewShape& shape);
void reshape(const Tensor& in, const NewShape& shape, Tensor& out);

}  // namespace sluice::kernels
