// Operators that lay one image over another.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

// blend and weighted_sum: pictures laid over each other.
//
// | operator     | takes                | layout, type | channels | gives             |
// |--------------|----------------------|--------------|----------|-------------------|
// | blend        | two Images, a weight | HWC, 8 bit   | 1 to 4   | Image, same shape |
// | weighted_sum | Images, weights      | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The pictures of a sample have one shape; else it is the sample's error. Weights lie between 0 and
// 1. The formulas stand in ops/kernels/blend.h.

// `weight` is that of b; a has the rest.
Value<Image> blend(Value<Image> a, Value<Image> b, Param<float> weight = 0.5f);

// A list, of for_loop_collect for instance, with as many weights.
Value<Image> weighted_sum(Value<std::vector<Image>> images, Value<std::vector<float>> weights);

namespace detail {
const OperatorPtr& blend_operator();
const OperatorPtr& weighted_sum_operator();
}  // namespace detail

// paste: one picture laid on another one.
//
// | takes                | layout, type | channels | gives                          |
// |----------------------|--------------|----------|--------------------------------|
// | Image, Image         | HWC, 8 bit   | 1 to 4   | Image of the first one's size  |
// | Image, Image, mask   | mask: gray   |          | the same                       |
//
// What lies outside of the first picture is left out. Pixels: see ops/kernels/paste.h. Errors of a
// sample: pictures whose channels differ, and a mask that has not the second one's size.
struct PasteOptions {
  // Of the patch's upper left corner. Below 0, and beyond the picture, it is cut off.
  Param<int> y = 0, x = 0;
  Param<float> alpha = 1.f;  // how much of the patch is seen
};

Value<Image> paste(Value<Image> image, Value<Image> patch, const PasteOptions& options = {});
// A gray picture of the patch's size says where it is seen: 255 is wholly, 0 not at all.
Value<Image> paste(Value<Image> image, Value<Image> patch, Value<Image> mask,
                   const PasteOptions& options = {});

namespace detail {
const OperatorPtr& paste_operator();
const OperatorPtr& paste_masked_operator();
}  // namespace detail

}  // namespace sluice
