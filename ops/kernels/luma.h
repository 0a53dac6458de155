// Luma: the lightness of a color as an integer; Pillow's conversion to gray, bit for bit.
//
//   luma = (19595 R + 38470 G + 7471 B + 32768) >> 16      (0.299, 0.587, 0.114)
//
// Internal to the kernels that need it. Threads: any. Errors: none; the caller checks the image.
#pragma once

#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

inline constexpr std::array<float, 3> kLumaOf65536{19595.f, 38470.f, 7471.f};

// Computes the luma of `count` pixels of 3 or 4 channels.
void luma_of_pixels(const std::uint8_t* pixels, std::size_t count, int channels,
                    std::uint8_t* luma);

// Writes pixels of three equal channels.
void repeat_thrice(const std::uint8_t* levels, std::size_t count, std::uint8_t* out);

// Returns the mean luma of an image with 1, 3 or 4 channels; for 1 channel, the mean pixel value.
// Exact except for the division.
double mean_luma(const Image& in);

}  // namespace sluice::kernels
