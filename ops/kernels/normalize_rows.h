// The inner loops of normalization: convert one row of 8-bit pixels to numbers, by SIMD
// instructions chosen when the program runs. Internal to the normalizing kernels.
#pragma once

#include <sluice/ops/kernels/normalize.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Converts a row to planes: channel c of pixel x goes to element c * plane + x of `out`. `dtype`:
// f32, f16, u8 or i8. channels: 1 to 4. Reads and writes nothing beyond the row.
void normalize_to_planes(const std::uint8_t* row, int width, int channels,
                         const ChannelScale& scale, DType dtype, std::byte* out, std::size_t plane);

// Converts a row to interleaved channels. `padded`: each 3-channel pixel gets a fourth channel of
// zero.
void normalize_interleaved(const std::uint8_t* row, int width, int channels,
                           const ChannelScale& scale, bool padded, DType dtype, std::byte* out);

}  // namespace sluice::kernels
