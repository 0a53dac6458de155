// Images for the tests of io/, drawn from a formula and a seed. Neighboring pixels and blocks
// differ, so a shift by one pixel or a swapped channel shows.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sluice {

// Draws gradients, a few bright boxes and some noise.
inline Image draw_image(int height, int width, int channels, std::uint64_t seed = 1) {
  Random random({.seed = seed});
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int slope = (x * (3 + c) + y * (5 - c)) % 256;
        const bool box = (x / 11 + y / 7) % 3 == c;
        const int noise = static_cast<int>(random.below(24));
        image.row(y)[x * channels + c] =
            static_cast<std::uint8_t>(std::min(255, slope * 2 / 3 + (box ? 60 : 0) + noise));
      }
    }
  }
  return image;
}

inline Image filled(int height, int width, int channels, std::uint8_t value) {
  Image image(height, width, channels);
  std::memset(image.data(), value, image.row_bytes() * static_cast<std::size_t>(height));
  return image;
}

}  // namespace sluice
