// jitter: pixels that have strayed.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/jitter.h. Random numbers are those of the sample's key. Errors of a
// sample: an even window.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

// window_size: odd; how far pixels stray, both ways together.
Value<Image> jitter(Value<Image> image, Param<int> window_size = 3);

namespace detail {
const OperatorPtr& jitter_operator();
}  // namespace detail

}  // namespace sluice
