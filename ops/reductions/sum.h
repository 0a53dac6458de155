// sum: of all levels of a picture, of all its channels, or of all elements of a tensor.
//
//   auto objects = sum(mask);           // std::int64_t
//   auto total = sum<float>(weights);
//
// | takes                                        | gives                        |
// |----------------------------------------------|------------------------------|
// | Image; Tensor of whole numbers, or of bools  | std::int64_t, float, double  |
// | Tensor of fractions                          | float, double                |
//
// See ops/kernels/sum.h. A std::int64_t of fractions is a BuildError where their type is known,
// else the error of its sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <type_traits>

namespace sluice {

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

}  // namespace sluice
