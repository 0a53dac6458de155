// dilate and erode: what is light, or dark, grows.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/morphology.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct MorphologyOptions {
  Param<int> window_height = 3, window_width = 3;  // up to 255
};

Value<Image> dilate(Value<Image> image, const MorphologyOptions& options = {});
Value<Image> erode(Value<Image> image, const MorphologyOptions& options = {});

namespace detail {
const OperatorPtr& dilate_operator();
const OperatorPtr& erode_operator();
}  // namespace detail

}  // namespace sluice
