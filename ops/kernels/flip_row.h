// One row of pixels in reverse order, the channels of each pixel in their order. Internal.
#pragma once

#include <cstdint>

namespace sluice::kernels {

// `in` and `out` do not overlap. channels: 1 to 4.
void flip_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out);

}  // namespace sluice::kernels
