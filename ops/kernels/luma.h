// Luma: how light a colour is, as a whole number; Pillow's conversion to gray, bit for bit.
//
//   luma = (19595 R + 38470 G + 7471 B + 32768) >> 16      (0.299, 0.587, 0.114)
//
// Internal to the kernels that need it. Threads: any. Errors: none; whoever calls checks the
// picture.
#pragma once

#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

inline constexpr std::array<float, 3> kLumaOf65536{19595.f, 38470.f, 7471.f};

// Of `count` pixels of 3 or 4 channels.
void luma_of_pixels(const std::uint8_t* pixels, std::size_t count, int channels,
                    std::uint8_t* luma);

// Pixels of three channels, each of which is the level.
void repeat_thrice(const std::uint8_t* levels, std::size_t count, std::uint8_t* out);

// The mean over all pixels of a picture with 1, 3 or 4 channels; of one with 1 channel, that of its
// levels. Exact but for the division.
double mean_luma(const Image& in);

}  // namespace sluice::kernels
