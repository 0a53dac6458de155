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
Image draw_image(int height, int width, int channels, std::uint64_t seed = 1);

inline Image filled(int height, int width, int channels, std::uint8_t value) {
  Image image(height, width, channels);
  std::memset(image.data(), value, image.row_bytes() * static_cast<std::size_t>(height));
  return image;
}

}  // namespace sluice
