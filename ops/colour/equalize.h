// equalize: each channel's levels spread so that about as many pixels have each.
//
// | takes | layout, type | channels  | gives             |
// |-------|--------------|-----------|-------------------|
// | Image | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// Pillow's table, bit for bit. A channel of one level, and a fourth channel, stay as they are. See
// ops/kernels/equalize.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> equalize(Value<Image> image);

namespace detail {
const OperatorPtr& equalize_operator();
}  // namespace detail

}  // namespace sluice
