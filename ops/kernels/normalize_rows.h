// The inner loops of normalising: one row of 8-bit pixels to floating point, by SIMD instructions
// chosen when the program runs. Internal to the normalising kernels.
#pragma once

#include <sluice/runtime/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// out = (x - offset) * factor per channel.
struct ChannelScale {
  std::array<float, 4> offset{};
  std::array<float, 4> factor{};
};

// Row to planes: channel c of pixel x goes to out[c * plane + x]; `plane` in elements. T: float or
// Half. channels: 1 to 4. Reads and writes nothing beyond the row.
template <class T>
void normalize_to_planes(const std::uint8_t* row, int width, int channels,
                         const ChannelScale& scale, T* out, std::size_t plane);

// Row to row, channels interleaved.
template <class T>
void normalize_interleaved(const std::uint8_t* row, int width, int channels,
                           const ChannelScale& scale, T* out);

}  // namespace sluice::kernels
