// Regions of a picture of a known size, computed from numbers: what is needed of a picture is known
// before it is decoded, and what belongs to it can follow.
//
// | operator        | takes                | gives                                  |
// |-----------------|----------------------|----------------------------------------|
// | scaled_region   | CanvasSize, a window | Rectangle, and its size when resized   |
// | expanded_region | CanvasSize           | Rectangle, which reaches beyond it     |
// | nested_region   | two Rectangles       | Rectangle                              |
//
// Errors of a sample: numbers out of range, and regions of more than 65535 pixels on a side.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/boxes/canvas_size.h>
#include <sluice/ops/geometry/expand.h>
#include <sluice/runtime/rectangle.h>

namespace sluice {

// What a window shows of a picture that is `scale` times as large: the region of the picture as it
// is, and the size to which that is to be resized. It is the window's, or that of the scaled
// picture where that is smaller: pad_image() makes up for it. So only what is seen is decoded and
// resized. kernels/crop_regions.h has the formula.
struct ScaledRegionOptions {
  Param<int> width = 0, height = 0;  // of the window: pixels of the scaled picture, at least 1
  Param<float> scale = 1.f;          // above 0
  // Which share of the free rows lies above the window, and of the free columns left of it: 0 to 1.
  Param<float> y = 0.5f, x = 0.5f;
};
struct ScaledRegion {
  Value<Rectangle> region;
  CanvasSize size;
};
ScaledRegion scaled_region(const CanvasSize& size, const ScaledRegionOptions& options);

// The canvas of expand(), counted from the corner of the picture: what crop() makes of it with
// OutOfBounds::pad is what expand() makes of the picture, and crop_boxes() moves boxes with it. The
// fill says nothing here.
Value<Rectangle> expanded_region(const CanvasSize& size, const ExpandOptions& options);

// A region within another one, which is counted in what `outer` shows, counted as `outer` is.
Value<Rectangle> nested_region(Value<Rectangle> outer, Value<Rectangle> inner);

namespace detail {
const OperatorPtr& scaled_region_operator();
const OperatorPtr& expanded_region_operator();
const OperatorPtr& nested_region_operator();
}  // namespace detail

}  // namespace sluice
