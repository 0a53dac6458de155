// blend_of_four: interpolates a pixel value between four pixels, with the arithmetic of
// blend_of_four() in ops/kernels/warp_blend.h. Internal to the kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>

#include <cstdint>

namespace sluice::device {

inline constexpr int kPlaceWeightBits = 11;

// Returns the value of channel `c` at a position between four pixels. `wx`, `wy`: the weights of
// the right and the lower pixels.
SLUICE_HOST_DEVICE inline int blend_of_four(const std::uint8_t* const (&pixels)[4], int c, int wx,
                                            int wy) {
  constexpr int kWhole = 1 << kPlaceWeightBits;
  const int upper = pixels[0][c] * kWhole + (pixels[1][c] - pixels[0][c]) * wx;
  const int lower = pixels[2][c] * kWhole + (pixels[3][c] - pixels[2][c]) * wx;
  const int sum = upper * (kWhole - wy) + lower * wy;
  return (sum + (1 << (2 * kPlaceWeightBits - 1))) >> (2 * kPlaceWeightBits);
}

}  // namespace sluice::device
