// Shuffles: the byte permutations for blending the pixels of a row in 16-byte vectors. Internal to
// resize_rows.cpp, which is compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// For 1 to 4 channels. 0x80 produces a zero.
struct Shuffles {
  // Two taps of one pixel as 16-bit pairs: byte `channel` of tap 2p in the even lanes, of tap 2p +
  // 1 in the odd ones; lanes of channels that do not exist become zero.
  alignas(16) std::uint8_t pairs[2][16]{};
  // The channels of four pixels side by side. The first two pixels are in the lower bytes of 16-bit
  // lanes, four lanes per pixel; the other two are in the upper bytes.
  alignas(16) std::uint8_t packed[16]{};

  explicit constexpr Shuffles(std::size_t channels) {
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::size_t channel = lane / 2, tap = 2 * p + lane % 2;
        pairs[p][2 * lane] =
            static_cast<std::uint8_t>(channel < channels ? tap * channels + channel : 0x80);
        pairs[p][2 * lane + 1] = 0x80;
      }
    }
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t pixel = i / channels, lane = pixel % 2 * 4 + i % channels;
      packed[i] = static_cast<std::uint8_t>(i < 4 * channels ? 2 * lane + pixel / 2 : 0x80);
    }
  }
};
inline constexpr Shuffles kShuffles[] = {Shuffles(1), Shuffles(2), Shuffles(3), Shuffles(4)};

}  // namespace sluice::kernels
