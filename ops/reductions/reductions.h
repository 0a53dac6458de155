// mean, min, max and standard_deviation: one number of all levels of a picture, of all its
// channels, or of all elements of a tensor; what predicates ask for.
//
//   auto turned = g.if_else(mean(image) < 60, [&] { return brighter(image); }, ...);
//
// | takes           | layout, type  | channels | gives |
// |-----------------|---------------|----------|-------|
// | Image or Tensor | any, 8 bit    | any      | float |
//
// See ops/kernels/reduce.h. On a GPU too, with the same bits; the number is the host's. Of a tensor
// that is known to have elements of another type it is a BuildError, else the error of its sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

namespace sluice {

Value<float> mean(Value<Image> image);
Value<float> mean(Value<Tensor> tensor);
Value<float> min(Value<Image> image);
Value<float> min(Value<Tensor> tensor);
Value<float> max(Value<Image> image);
Value<float> max(Value<Tensor> tensor);
Value<float> standard_deviation(Value<Image> image);
Value<float> standard_deviation(Value<Tensor> tensor);

namespace detail {
const OperatorPtr& reduction_operator(kernels::Reduction what);
}  // namespace detail

}  // namespace sluice
