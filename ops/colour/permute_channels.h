// permute_channels: the three colours of each pixel in another order.
//
// | takes                       | layout, type | channels | gives             |
// |-----------------------------|--------------|----------|-------------------|
// | Image, first, second, third | HWC, 8 bit   | 3 or 4   | Image, same shape |
//
// first, second and third: which channel becomes that, 0, 1 and 2 in some order. A fourth channel
// stays where it is.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

struct PermuteChannelsOptions {
  Param<std::int32_t> first = 0;
  Param<std::int32_t> second = 1;
  Param<std::int32_t> third = 2;
};

Value<Image> permute_channels(Value<Image> image, const PermuteChannelsOptions& options);

namespace detail {
const OperatorPtr& permute_channels_operator();
}  // namespace detail

}  // namespace sluice
