// filter_2d: pictures filtered by any small window of weights.
//
// | takes          | layout, type | channels | gives             |
// |----------------|--------------|----------|-------------------|
// | Image, weights | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The formula stands in ops/kernels/filter_2d.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

// Rows of weights: odd numbers of them, at most 7, all rows of one length. BuildError for others.
using FilterRows = std::vector<std::vector<float>>;

Value<Image> filter_2d(Value<Image> image, const FilterRows& weights);

namespace detail {
const OperatorPtr& filter_2d_operator();
}  // namespace detail

}  // namespace sluice
