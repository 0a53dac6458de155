// expand: pictures somewhere on a larger canvas of one colour, as SSD zooms out.
//
// | takes | layout, type | channels | gives                          |
// |-------|--------------|----------|--------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, `ratio` times as large  |
//
// Sizes and places: see ops/kernels/expand.h. Errors of a sample: a canvas of more than 65535
// pixels on a side.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct ExpandOptions {
  Param<float> ratio = 2.f;  // of each side
  // Which share of the free rows lies above, and of the free columns left of the picture.
  Param<float> y = 0.5f, x = 0.5f;
  Param<Fill> fill = 0;
};

Value<Image> expand(Value<Image> image, const ExpandOptions& options);

namespace detail {
const OperatorPtr& expand_operator();
}  // namespace detail

}  // namespace sluice
