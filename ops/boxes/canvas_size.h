// canvas_size: how large a picture is, for what moves along with it: boxes and points; and
// center_region, the rectangle that center_crop takes.
//
// | operator      | takes         | gives         |
// |---------------|---------------|---------------|
// | canvas_size  | Image         | two numbers   |
// | region_size   | Rectangle     | two numbers   |
// | center_region | CanvasSize   | Rectangle     |
//
// Of a picture that comes from a decoder its header says the size: no pixels are needed for it.
// Called while a pipeline is described. Errors of a sample: see center_crop.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/geometry/crop.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/rectangle.h>

namespace sluice {

struct CanvasSize {
  Param<int> width = 0, height = 0;  // pixels, 1 to 65535
};
CanvasSize canvas_size(Value<Image> image);
// Of the picture that crop() makes of the region.
CanvasSize canvas_size(Value<Rectangle> region);

// What center_crop takes of a picture of this size.
Value<Rectangle> center_region(const CanvasSize& size, const CenterCropOptions& options);

namespace detail {
const OperatorPtr& canvas_size_operator();
const OperatorPtr& region_size_operator();
const OperatorPtr& center_region_operator();
}  // namespace detail

}  // namespace sluice
