// crop and center_crop: a rectangle of a picture.
//
// | takes         | layout, type | channels | gives                        |
// |---------------|--------------|----------|------------------------------|
// | Image, Rectangle | HWC, 8 bit   | 1 to 4   | Image of the region's size   |
//
// Errors of a sample: a region that does not lie inside its picture, where it has to; one that is
// empty, or has nothing of the picture and shall be trimmed.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/rectangle.h>

namespace sluice {

struct CropOptions {
  OutOfBounds out_of_bounds = OutOfBounds::error;
  Param<Fill> fill = 0;  // of what lies outside, where that is padded
};

Value<Image> crop(Value<Image> image, Param<Rectangle> region, const CropOptions& options = {});

struct CenterCropOptions {
  Param<int> width = 0;
  Param<int> height = 0;
};

// The middle of the picture; half pixels are rounded to even, as torchvision does.
Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options);

namespace detail {
const OperatorPtr& crop_operator();
const OperatorPtr& crop_padded_operator();  // what out_of_bounds = pad records
const OperatorPtr& center_crop_operator();
}  // namespace detail

}  // namespace sluice
