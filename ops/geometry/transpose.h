// transpose: rows become columns.
//
// | takes | layout, type | channels | gives                              |
// |-------|--------------|----------|------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, height and width exchanged  |
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> transpose(Value<Image> image);

namespace detail {
const OperatorPtr& transpose_operator();
}  // namespace detail

}  // namespace sluice
