// Luma: how light a colour is, as a whole number; Pillow's conversion to gray, bit for bit.
//
//   luma = (19595 R + 38470 G + 7471 B + 32768) >> 16      (0.299, 0.587, 0.114)
//
// Internal to the kernels that need it. Threads: any. Errors: none; whoever calls checks the
// picture.
#pragma once

#include <sluice/ops/kernels/planes.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

inline constexpr std::array<float, 3> kLumaOf65536{19595.f, 38470.f, 7471.f};

// Of the first `count` pixels of the planes, and perhaps beyond; `luma` has room for kPlanePixels.
void luma_of_planes(const Planes& planes, std::size_t count, std::uint8_t* luma);

// The mean over all pixels of a picture with 1, 3 or 4 channels; of one with 1 channel, that of its
// levels. Exact but for the division.
double mean_luma(const Image& in);

}  // namespace sluice::kernels
