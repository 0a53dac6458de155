// Operators that reduce an image or tensor to few numbers.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace sluice {

// mean, min, max and standard_deviation: reduce all pixel values of an image, or all elements of a
// tensor, to one number. Predicates use them. any and all: true if an element is, or all elements
// are, not zero.
//
//   auto turned = g.if_else(mean(image) < 60, [&] { return brighter(image); }, ...);
//   auto last = max<std::int64_t>(labels);
//
// | operator                 | takes                          | returns                     |
// |--------------------------|--------------------------------|-----------------------------|
// | mean, standard_deviation | Image or Tensor of any type    | float, double               |
// | min, max                 | Image; Tensor of whole numbers | float, double, std::int64_t |
// | min, max                 | Tensor of fractions            | float, double               |
// | any, all                 | Image or Tensor of any type    | bool                        |
//
// See ops/kernels/reduce.h. u8 elements are reduced to a float on a GPU, too, with the same bits;
// the result is on the host. A std::int64_t of fractions is a BuildError if their type is known,
// else the error of its sample. A whole number that float does not hold is the error of its sample.

namespace detail {
const OperatorPtr& reduction_operator(kernels::Reduction what);  // (data): f32
const OperatorPtr& reduce_operator();                            // (data, operation, to)
const OperatorPtr& any_operator();                               // (data)
const OperatorPtr& all_operator();                               // (data)

template <class To>
concept reduced_type =
    std::is_same_v<To, std::int64_t> || std::is_same_v<To, float> || std::is_same_v<To, double>;
template <class T>
concept reducible = std::is_same_v<T, Image> || std::is_same_v<T, Tensor>;
template <reduced_type To, reducible T>
Value<To> reduced(kernels::Reduction what, const Value<T>& data);
}  // namespace detail

template <detail::reduced_type To = float, detail::reducible T>
Value<To> mean(Value<T> data) {
  return detail::reduced<To>(kernels::Reduction::mean, data);
}
template <detail::reduced_type To = float, detail::reducible T>
Value<To> min(Value<T> data) {
  return detail::reduced<To>(kernels::Reduction::min, data);
}
template <detail::reduced_type To = float, detail::reducible T>
Value<To> max(Value<T> data) {
  return detail::reduced<To>(kernels::Reduction::max, data);
}
template <detail::reduced_type To = float, detail::reducible T>
Value<To> standard_deviation(Value<T> data) {
  return detail::reduced<To>(kernels::Reduction::standard_deviation, data);
}
Value<bool> any(Value<Image> image);
Value<bool> any(Value<Tensor> tensor);
Value<bool> all(Value<Image> image);
Value<bool> all(Value<Tensor> tensor);

// sum: sums all pixel values of an image, over all channels, or all elements of a tensor.
//
//   auto objects = sum(mask);           // std::int64_t
//   auto total = sum<float>(weights);
//
// | takes                                        | returns                      |
// |----------------------------------------------|------------------------------|
// | Image; Tensor of whole numbers, or of bools  | std::int64_t, float, double  |
// | Tensor of fractions                          | float, double                |
//
// See ops/kernels/reduce.h. A std::int64_t of fractions is a BuildError if their type is known,
// else the error of its sample.

namespace detail {
const OperatorPtr& sum_operator();  // (data, to)

template <class To>
concept sum_type =
    std::is_same_v<To, std::int64_t> || std::is_same_v<To, float> || std::is_same_v<To, double>;
template <sum_type To>
Value<To> sum_of(const Value<Image>& image);
template <sum_type To>
Value<To> sum_of(const Value<Tensor>& tensor);
}  // namespace detail

template <detail::sum_type To = std::int64_t>
Value<To> sum(Value<Image> image) {
  return detail::sum_of<To>(image);
}
template <detail::sum_type To = std::int64_t>
Value<To> sum(Value<Tensor> tensor) {
  return detail::sum_of<To>(tensor);
}

// reduce_axes: reduces along some dimensions, as NumPy's functions with `axis`.
//
//   auto colors = reduce_axes(image, kernels::AxisReduction::mean, {0, 1});  // f32, one a channel
//
// | takes                       | returns                                                   |
// |-----------------------------|-----------------------------------------------------------|
// | Image or Tensor of any type | Tensor without these dimensions; `keep_dims`: of size 1   |
//
// See ops/kernels/reduce.h for the types of the elements. Dimensions count from 0, or from -1, the
// last one, backwards. Throws BuildError for no axes. An axis that is missing or named twice is
// a BuildError if the number of dimensions is known, else the error of its sample. A sample fails
// for a mean, min, max or standard_deviation of no elements.
Value<Tensor> reduce_axes(Value<Tensor> data, kernels::AxisReduction what,
                          const std::vector<int>& axes, bool keep_dims = false);
Value<Tensor> reduce_axes(Value<Image> data, kernels::AxisReduction what,
                          const std::vector<int>& axes, bool keep_dims = false);

namespace detail {
const OperatorPtr& reduce_axes_operator();  // (data, operation, count, axes, keep_dims)
}  // namespace detail

}  // namespace sluice
