// The inner loops of normalising: one row of 8-bit pixels to numbers of a type, by SIMD
// instructions chosen when the program runs. Internal to the normalising kernels.
#pragma once

#include <sluice/ops/kernels/normalize.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Row to planes: channel c of pixel x goes to element c * plane + x of `out`. `dtype`: f32, f16, u8
// or i8. channels: 1 to 4. Reads and writes nothing beyond the row.
void normalize_to_planes(const std::uint8_t* row, int width, int channels,
                         const ChannelScale& scale, DType dtype, std::byte* out, std::size_t plane);

// Row to row, channels interleaved. `padded`, of 3 channels: each pixel gets a fourth one, zero.
void normalize_interleaved(const std::uint8_t* row, int width, int channels,
                           const ChannelScale& scale, bool padded, DType dtype, std::byte* out);

}  // namespace sluice::kernels
