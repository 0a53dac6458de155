// flip_row: writes one row of pixels in reverse order, keeping the order of channels. Internal.
#pragma once

#include <cstdint>

namespace sluice::kernels {

// `in` and `out` do not overlap. channels: 1 to 4.
void flip_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out);

}  // namespace sluice::kernels
