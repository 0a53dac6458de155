// grayscale: colours become their luma.
//
// | takes           | layout, type | channels  | gives                    |
// |-----------------|--------------|-----------|--------------------------|
// | Image, channels | HWC, 8 bit   | 1, 3 or 4 | Image of 1 or 3 channels |
//
// channels: 1, or 3 equal ones. Pillow's luma, bit for bit; a fourth channel is left out. See
// ops/kernels/grayscale.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

struct GrayscaleOptions {
  Param<std::int32_t> channels = 1;  // of the result: 1 or 3
};

Value<Image> grayscale(Value<Image> image, const GrayscaleOptions& options = {});

namespace detail {
const OperatorPtr& grayscale_operator();
}  // namespace detail

}  // namespace sluice
