// blend and weighted_sum: pictures laid over each other.
//
// | operator     | takes                | layout, type | channels | gives             |
// |--------------|----------------------|--------------|----------|-------------------|
// | blend        | two Images, a weight | HWC, 8 bit   | 1 to 4   | Image, same shape |
// | weighted_sum | Images, weights      | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The pictures of a sample have one shape; else it is the sample's error. Weights lie between 0 and
// 1. The formulas stand in ops/kernels/blend.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

// `weight` is that of b; a has the rest.
Value<Image> blend(Value<Image> a, Value<Image> b, Param<float> weight = 0.5f);

// A list, of for_loop_collect for instance, with as many weights.
Value<Image> weighted_sum(Value<std::vector<Image>> images, Value<std::vector<float>> weights);

namespace detail {
const OperatorPtr& blend_operator();
const OperatorPtr& weighted_sum_operator();
}  // namespace detail

}  // namespace sluice
