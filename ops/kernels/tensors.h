// Operators on the shapes of tensors: cat joins two tensors along a dimension, reshape changes the
// shape of a tensor, permute the order of its dimensions, slice_tensor takes a part of one, and
// pad_tensor extends one.
//
// Threads: any. Errors: std::invalid_argument, as each operator's comment says.
#pragma once

#include <sluice/runtime/tensor.h>

#include <array>
#include <cstdint>

namespace sluice::kernels {

// cat and reshape.
//
// Errors: tensors whose types, numbers of dimensions or other sizes differ, a missing dimension,
// and a shape with another number of elements.

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

// permute: reorders the dimensions of a tensor. Dimension i of the result is dimension axes[i] of
// the input, as in numpy.transpose. HWC becomes CHW by {2, 0, 1}, and the other way by {1, 2, 0};
// other results have no layout, unless the order stays.
//
// Errors: axes that do not name each dimension once, and a tensor with another number of
// dimensions.
struct Axes {
  std::array<int, Shape::kMaxRank> axes{};
  int rank = 0;
};
void check_axes(const Axes& axes);
// The shape, type and layout of the result.
ValueSpec permuted(const Tensor& in, const Axes& axes);
void permute(const Tensor& in, const Axes& axes, Tensor& out);

// slice_tensor: copies a range of a tensor along one dimension.
//
// Errors: a missing dimension, and a range beyond it.

// Copies `length` elements from `start` on, which counts from 0; -1 copies all remaining ones.
// Dimensions count from 0, or from -1 backwards, the last one.
void slice_tensor(const Tensor& in, int axis, std::int64_t start, std::int64_t length, Tensor& out);

// pad_tensor: extends a tensor along one dimension, with one number after its elements.
//
// Errors: a missing dimension, an invalid length or alignment, and a number that the tensor's type
// does not hold.

// Throws, with the name `op`, unless the type holds the number.
void check_fill(const char* op, DType type, double fill);

struct TensorMargin {
  int axis = 0;             // from 0, or from -1 backwards for the last dimensions
  std::int64_t length = 0;  // minimum length of the result
  std::int64_t align = 1;   // the result's length is a multiple of it
  double fill = 0;
};

// A tensor that is long enough is not changed: it is never cut.
void pad_tensor(const Tensor& in, const TensorMargin& margin, Tensor& out);

}  // namespace sluice::kernels
