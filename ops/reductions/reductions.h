// mean, min, max and standard_deviation: one number of all levels of a picture, of all its
// channels, or of all elements of a tensor; what predicates ask for. any and all: whether one
// element, or each of them, is not zero.
//
//   auto turned = g.if_else(mean(image) < 60, [&] { return brighter(image); }, ...);
//   auto last = max<std::int64_t>(labels);
//
// | operator                       | takes                           | gives |
// |--------------------------------|---------------------------------|-----------------------------|
// | mean, standard_deviation       | Image or Tensor of any type     | float, double | | min, max
// | Image; Tensor of whole numbers  | float, double, std::int64_t | | | Tensor of fractions |
// float, double               | | any, all                       | Image or Tensor of any type |
// bool                        |
//
// See ops/kernels/reduce.h. On a GPU too, with the same bits, where the elements are u8 and the
// number is a float, which is the host's. A std::int64_t of fractions is a BuildError where their
// type is known, else the error of its sample; so is a whole number that float does not hold.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <type_traits>

namespace sluice {

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

}  // namespace sluice
