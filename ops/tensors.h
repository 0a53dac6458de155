// Operators on tensors: arithmetic, padding, slicing, joining, conversion.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/arithmetic.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace sluice {

// Arithmetic, bits and comparison of tensors, element by element: a + b, 1 - a, a & b, a < b,
// minimum(a, b), floor_divide(a, b), -a, abs(a), cast<float>(a). Images may stand for tensors.
//
// | takes                       | returns                              |
// |-----------------------------|--------------------------------------|
// | Tensor, Tensor              | Tensor; sizes of 1 stand for all     |
// | Tensor, number, either way  | Tensor of the same shape             |
// | Tensor (-, abs, cast)       | Tensor of the same shape             |
//
// Types and results follow runtime/arithmetic.h, but `/` of whole numbers produces f32. A number
// beside a tensor, a constant or one per sample, takes the type of the elements; a fraction beside
// whole numbers produces f32. A sample fails for shapes that cannot be broadcast, numbers that a
// type does not hold, whole numbers divided by zero (except by `/`), and bits of fractions. If the
// types are known, bits of fractions are a BuildError.

namespace detail {

const OperatorPtr& elementwise_operator();         // (a, b, operation)
const OperatorPtr& elementwise_number_operator();  // (data, number, operation, whole, first)
const OperatorPtr& absolute_elements_operator();   // (data)
const OperatorPtr& sqrt_elements_operator();       // (data)
const OperatorPtr& exp_elements_operator();        // (data)
const OperatorPtr& log_elements_operator();        // (data)
const OperatorPtr& cast_elements_operator();       // (data, to)

template <class A>
inline constexpr bool is_elements =
    std::is_same_v<A, Value<Tensor>> || std::is_same_v<A, Value<Image>>;
template <class A>
inline constexpr bool is_number_or_value = is_number<argument_t<A>>;
template <class A, class B>
concept elements_pair = (is_elements<A> && (is_elements<B> || is_number_or_value<B>)) ||
                        (is_elements<B> && is_number_or_value<A>);
template <class A>
inline constexpr bool may_have_bits = is_elements<A> || std::is_integral_v<argument_t<A>>;
template <class A, class B>
concept elements_bits_pair = elements_pair<A, B> && may_have_bits<A> && may_have_bits<B>;

Value<Tensor> elementwise(kernels::Elementwise what, const Value<Tensor>& a,
                          const Value<Tensor>& b);
Value<Tensor> elementwise(kernels::Elementwise what, const Value<Tensor>& a, const Value<Image>& b);
Value<Tensor> elementwise(kernels::Elementwise what, const Value<Image>& a, const Value<Tensor>& b);
Value<Tensor> elementwise(kernels::Elementwise what, const Value<Image>& a, const Value<Image>& b);
Value<Tensor> elementwise(kernels::Elementwise what, const Value<Tensor>& a,
                          const Param<double>& number, bool whole, bool number_first);
Value<Tensor> elementwise(kernels::Elementwise what, const Value<Image>& a,
                          const Param<double>& number, bool whole, bool number_first);
// Applies an operator on single elements; `name` is for messages.
Value<Tensor> on_elements(const char* name, const OperatorPtr& op, const Value<Tensor>& data);
Value<Tensor> on_elements(const char* name, const OperatorPtr& op, const Value<Image>& data);
Value<Tensor> cast_elements(const Value<Tensor>& data, DType to);
Value<Tensor> cast_elements(const Value<Image>& data, DType to);

// Throws for a whole number that a double cannot hold exactly.
template <class N>
Param<double> number_of(const N& number) {
  using T = argument_t<N>;
  if constexpr (std::is_same_v<N, Param<T>>) {
    if (number.is_constant()) return number_of(number.constant());
    return number_of(number.value());
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return number;
  } else if constexpr (is_value<N>) {
    return cast<double>(number);
  } else {
    return static_cast<double>(number);
  }
}

template <class A, class B>
Value<Tensor> elements_of(kernels::Elementwise what, const A& a, const B& b) {
  if constexpr (is_elements<A> && is_elements<B>) {
    return elementwise(what, a, b);
  } else if constexpr (is_elements<A>) {
    return elementwise(what, a, number_of(b), std::is_integral_v<argument_t<B>>, false);
  } else {
    return elementwise(what, b, number_of(a), std::is_integral_v<argument_t<A>>, true);
  }
}

}  // namespace detail

template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator+(const A& a, const B& b) { return detail::elements_of(kernels::Elementwise::add, a, b); }
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator-(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::subtract, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator*(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::multiply, a, b);
}
// For whole numbers the result is f32.
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator/(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::divide, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator<(const A& a, const B& b) { return detail::elements_of(kernels::Elementwise::less, a, b); }
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator<=(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::less_equal, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator>(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::greater, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator>=(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::greater_equal, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator==(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::equal, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator!=(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::not_equal, a, b);
}
// For whole numbers and bools; two tensors of bools produce bools.
template <class A, class B>
requires detail::elements_bits_pair<A, B> Value<Tensor>
operator&(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::bitwise_and, a, b);
}
template <class A, class B>
requires detail::elements_bits_pair<A, B> Value<Tensor>
operator|(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::bitwise_or, a, b);
}
template <class A, class B>
requires detail::elements_bits_pair<A, B> Value<Tensor>
operator^(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::bitwise_xor, a, b);
}
// As in C++: the result has the sign of a.
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor>
operator%(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::remainder, a, b);
}
// As in Python: the quotient is rounded down, and modulo has the sign of b.
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor> floor_divide(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::floor_divide, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor> modulo(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::modulo, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor> power(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::power, a, b);
}
// NaN if either element is NaN.
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor> minimum(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::minimum, a, b);
}
template <class A, class B>
requires detail::elements_pair<A, B> Value<Tensor> maximum(const A& a, const B& b) {
  return detail::elements_of(kernels::Elementwise::maximum, a, b);
}
template <class A>
requires detail::is_elements<A> Value<Tensor>
operator-(const A& a) { return 0 - a; }
template <class A>
requires detail::is_elements<A> Value<Tensor> abs(const A& a) {
  return detail::on_elements("abs", detail::absolute_elements_operator(), a);
}
// Whole numbers become f32. sqrt and log of a negative number are NaN, and log(0) is -infinity.
template <class A>
requires detail::is_elements<A> Value<Tensor> sqrt(const A& a) {
  return detail::on_elements("sqrt", detail::sqrt_elements_operator(), a);
}
template <class A>
requires detail::is_elements<A> Value<Tensor> exp(const A& a) {
  return detail::on_elements("exp", detail::exp_elements_operator(), a);
}
template <class A>
requires detail::is_elements<A> Value<Tensor> log(const A& a) {
  return detail::on_elements("log", detail::log_elements_operator(), a);
}
template <class A, class Low, class High>
requires detail::elements_pair<A, Low> && detail::elements_pair<A, High> Value<Tensor> clamp(
    const A& a, const Low& low, const High& high) {
  return minimum(maximum(a, low), high);
}

// Fractions are cut off; as a bool, 0 is false and all other numbers are true. The sample fails if
// the type does not hold an element.
template <class To, class A>
requires detail::is_elements<A> Value<Tensor> cast(const A& data) {
  return detail::cast_elements(data, dtype_of<To>::value);
}

// pad_tensor: extends a tensor along one or more dimensions, with one number after its elements.
//
//   auto padded = pad_tensor(boxes, {{.length = 100}}, -1);
//
// | takes                       | returns                                       |
// |-----------------------------|-----------------------------------------------|
// | a tensor of any type        | a tensor of as many dimensions, and its type  |
//
// For images use pad_image. See ops/kernels/tensors.h. Errors of a sample: a dimension that the
// tensor does not have, and a number that its element type does not hold.

// Padding of one dimension. A longer tensor is not cut.
struct TensorPadding {
  int axis = 0;                    // from 0, or from -1 backwards for the last dimensions
  Param<std::int64_t> length = 0;  // minimum length of the result
  Param<std::int64_t> align = 1;   // the result's length is a multiple of it
};

// Applies the paddings in order. Throws BuildError if there are none.
Value<Tensor> pad_tensor(Value<Tensor> tensor, const std::vector<TensorPadding>& paddings,
                         Param<double> fill = 0);

namespace detail {
const OperatorPtr& pad_tensor_operator();  // (tensor, axis, length, align, fill)
}  // namespace detail

// slice_tensor: cuts a part out of a tensor along one or more dimensions.
//
//   auto part = slice_tensor(tensor, {{.axis = 1, .start = y, .length = 64}});
//
// | takes                       | returns                                       |
// |-----------------------------|-----------------------------------------------|
// | a tensor of any type        | a tensor of as many dimensions, and its type  |
//
// See ops/kernels/tensors.h. Errors of a sample: a dimension that the tensor does not have,
// and elements beyond its end.

// A range along one dimension.
struct TensorRange {
  int axis = 0;                     // from 0, or from -1 backwards for the last dimensions
  Param<std::int64_t> start = 0;    // from 0 on
  Param<std::int64_t> length = -1;  // -1: all remaining
};

// Applies the ranges in order. Throws BuildError if there are none.
Value<Tensor> slice_tensor(Value<Tensor> tensor, const std::vector<TensorRange>& ranges);

namespace detail {
const OperatorPtr& slice_tensor_operator();  // (tensor, axis, start, length)
}  // namespace detail

// cat, stack, reshape and permute: join tensors, or change their shape.
//
// |         | takes                          | returns a Tensor                           |
// |---------|--------------------------------|--------------------------------------------|
// | cat     | tensors                        | one after the other along a dimension      |
// | stack   | tensors or images of a shape   | side by side along a dimension that is new |
// | reshape | a tensor                       | the same elements in order, in a new shape |
// | permute | a tensor or image              | the dimensions in another order            |
//
// Any type of numbers. See ops/kernels/tensors.h. Errors of a sample: shapes that do not fit.

// Dimensions count from 0, or from -1 backwards, the last one.
Value<Tensor> cat(Value<Tensor> a, Value<Tensor> b, int axis = 0);
// Throws BuildError if there are no tensors.
Value<Tensor> cat(const std::vector<Value<Tensor>>& tensors, int axis = 0);

// `axis`: the position of the new dimension, from 0. Throws BuildError if there are no tensors.
Value<Tensor> stack(const std::vector<Value<Tensor>>& tensors, int axis = 0);
Value<Tensor> stack(const std::vector<Value<Image>>& images, int axis = 0);
// Stacks a list that each sample produces. Zeros pad a list shorter than `length`; a longer list
// fails the sample.
Value<Tensor> stack(Value<std::vector<Tensor>> tensors, Param<std::int64_t> length, int axis = 0);
Value<Tensor> stack(Value<std::vector<Image>> images, Param<std::int64_t> length, int axis = 0);

// One of the sizes may be -1 and follows from the others. Throws BuildError for more than 6 sizes,
// and for more than one -1.
Value<Tensor> reshape(Value<Tensor> tensor, const std::vector<std::int64_t>& sizes,
                      Layout layout = Layout::none);

// Dimension i of the result is dimension axes[i] of `data`, as in numpy.transpose. {2, 0, 1} makes
// CHW of an image, {1, 2, 0} makes HWC again. Throws BuildError if `axes` does not name each
// dimension once; a sample fails for a tensor with another number of dimensions.
Value<Tensor> permute(Value<Tensor> data, const std::vector<int>& axes);
Value<Tensor> permute(Value<Image> data, const std::vector<int>& axes);

namespace detail {
const OperatorPtr& cat_operator();
const OperatorPtr& permute_operator();
const OperatorPtr& reshape_operator();
}  // namespace detail

// to_image: converts a tensor of numbers to an image, for operators that take images.
//
//   auto darker = to_image(image * 0.5f + 10);
//
// | takes                                                       | returns                     |
// |-------------------------------------------------------------|-----------------------------|
// | a tensor of any type: (height, width), (height, width,      | Image of that size, HWC, u8 |
// | channels), or (channels, height, width) of the layout CHW   |                             |
//
// Numbers are pixel values from 0 to 255; they are rounded and clipped. For another range, pass the
// number for white, such as 1 for numbers from 0 to 1: they are then multiplied by 255 / white. See
// ops/kernels/normalize.h. A sample fails for a shape that no image has, and, without `white`, for
// fractions if none is above 1.
struct ToImageOptions {
  Param<float> white = 0.f;  // above 0; default: 255
};
Value<Image> to_image(Value<Tensor> tensor, const ToImageOptions& options = {});

namespace detail {
const OperatorPtr& to_image_operator();
}  // namespace detail

// one_hot: converts a class number to a vector of probabilities.
//
// | takes | returns                             |
// |-------|-------------------------------------|
// | label | Tensor, f32, one number for a class |
//
// With smoothing s, each class gets s / classes, and the label's class 1 - s in addition, as in
// PyTorch's cross entropy. Errors of a sample: a label outside 0 .. classes - 1.
struct OneHotOptions {
  int classes = 0;        // at least 1
  float smoothing = 0.f;  // 0 to 1
};
Value<Tensor> one_hot(Value<std::int64_t> label, const OneHotOptions& options);

namespace detail {
const OperatorPtr& one_hot_operator();
}  // namespace detail

}  // namespace sluice
