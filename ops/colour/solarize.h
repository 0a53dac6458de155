// solarize: levels from a threshold on are inverted.
//
// | takes            | layout, type | channels | gives             |
// |------------------|--------------|----------|-------------------|
// | Image, threshold | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// threshold: 0, which inverts all levels, to 256, which inverts none. See ops/kernels/solarize.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> solarize(Value<Image> image, Param<float> threshold = 128.f);

namespace detail {
const OperatorPtr& solarize_operator();
}  // namespace detail

}  // namespace sluice
