// posterize: fewer levels; of each level, the upper bits alone are kept.
//
// | takes       | layout, type | channels | gives             |
// |-------------|--------------|----------|-------------------|
// | Image, bits | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// bits: 1 to 8; 8 changes nothing. See ops/kernels/posterize.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

Value<Image> posterize(Value<Image> image, Param<std::int32_t> bits);

namespace detail {
const OperatorPtr& posterize_operator();
}  // namespace detail

}  // namespace sluice
