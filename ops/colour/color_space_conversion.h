// color_space_conversion: pixels of one format become those of another.
//
// | takes           | layout, type | channels | gives             |
// |-----------------|--------------|----------|-------------------|
// | Image, from, to | HWC, 8 bit   | 3 or 4   | Image, same shape |
//
// YCbCr is that of JPEG, of the full range. A fourth channel stays as it is. See
// ops/kernels/color_space_conversion.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/color_space_conversion.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct ColorSpaceConversionOptions {
  PixelFormat from = PixelFormat::rgb;
  PixelFormat to = PixelFormat::ycbcr;
};

Value<Image> color_space_conversion(Value<Image> image, const ColorSpaceConversionOptions& options);

namespace detail {
const OperatorPtr& color_space_conversion_operator();
}  // namespace detail

}  // namespace sluice
