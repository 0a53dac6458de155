// rotate: pictures turned counter-clockwise about their centre.
//
// | takes          | layout, type | channels | gives |
// |----------------|--------------|----------|----------------------------------------------------------|
// | Image, degrees | HWC, 8 bit   | 1 to 4   | Image that holds all of it, or of the same size |
//
// The geometry is Pillow's: see ops/kernels/rotate.h. Errors of a sample: an angle that is not
// finite.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

#include <array>

namespace sluice {

struct RotateOptions {
  bool keep_size = false;
  Param<Fill> fill = 0;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
};

Value<Image> rotate(Value<Image> image, Param<float> degrees, const RotateOptions& options = {});

namespace detail {
const OperatorPtr& rotate_operator();
// A fill as the operator has it, rounded to whole levels.
Fill fill_of(const std::array<float, 4>& numbers);
}  // namespace detail

}  // namespace sluice
