// Operators that lay one image over another.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

// blend and weighted_sum: blend images with weights.
//
// | operator     | takes                | layout, type | channels | returns           |
// |--------------|----------------------|--------------|----------|-------------------|
// | blend        | two Images, a weight | HWC, 8 bit   | 1 to 4   | Image, same shape |
// | weighted_sum | Images, weights      | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The images of a sample must have one shape; otherwise the sample fails. Weights lie between 0 and
// 1. For the formulas see ops/kernels/mix.h.

// `weight` is the weight of b; a has the rest.
Value<Image> blend(Value<Image> a, Value<Image> b, Param<float> weight = 0.5f);

// Takes a list, for instance from for_loop_collect, and as many weights.
Value<Image> weighted_sum(Value<std::vector<Image>> images, Value<std::vector<float>> weights);

namespace detail {
const OperatorPtr& blend_operator();
const OperatorPtr& weighted_sum_operator();
}  // namespace detail

// paste: pastes one image onto another.
//
// | takes                | layout, type | channels | returns                        |
// |----------------------|--------------|----------|--------------------------------|
// | Image, Image         | HWC, 8 bit   | 1 to 4   | Image of the first one's size  |
// | Image, Image, mask   | mask: gray   |          | the same                       |
//
// The part outside the first image is cut off. See ops/kernels/occlusion.h. Errors of a sample:
// images with different numbers of channels, and a mask that does not have the patch's size.
struct PasteOptions {
  // Position of the patch's upper left corner. Parts outside the image are cut off.
  Param<int> y = 0, x = 0;
  Param<float> alpha = 1.f;  // opacity of the patch
};

Value<Image> paste(Value<Image> image, Value<Image> patch, const PasteOptions& options = {});
// The mask is a gray image of the patch's size: 255 shows the patch, 0 hides it.
Value<Image> paste(Value<Image> image, Value<Image> patch, Value<Image> mask,
                   const PasteOptions& options = {});

namespace detail {
const OperatorPtr& paste_operator();
const OperatorPtr& paste_masked_operator();
}  // namespace detail

}  // namespace sluice
