// lookup_table: each level becomes the one that a table says.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sluice {

// levels[x] is what becomes of level x, in all channels; of those that are left
// out, 0.
Value<Image> lookup_table(Value<Image> image, const std::array<std::uint8_t, 256>& levels);

// level(x) is what becomes of level x; it is asked for each when the graph is built, and cut off to
// 0 .. 255.
template <class F>
requires std::is_invocable_r_v<int, const F&, int> Value<Image> lookup_table(Value<Image> image,
                                                                             const F& level) {
  std::array<std::uint8_t, 256> levels{};
  for (std::size_t x = 0; x < levels.size(); ++x)
    levels[x] = static_cast<std::uint8_t>(std::clamp<int>(level(static_cast<int>(x)), 0, 255));
  return lookup_table(image, levels);
}

namespace detail {
const OperatorPtr& lookup_table_operator();
}  // namespace detail

}  // namespace sluice
