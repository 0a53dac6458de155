// lookup_table: each level becomes the one that a table says.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstdint>

namespace sluice {

// levels[x] is what becomes of level x, in all channels; of those that are left
// out, 0.
Value<Image> lookup_table(Value<Image> image, const std::array<std::uint8_t, 256>& levels);

namespace detail {
const OperatorPtr& lookup_table_operator();
}  // namespace detail

}  // namespace sluice
