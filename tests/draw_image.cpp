// The noisy image of many tests. It is optimized in every build: see CMakeLists.txt.
#include "tests/io/images.h"
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdint>

namespace sluice {

Image draw_image(int height, int width, int channels, std::uint64_t seed) {
  Random random({.seed = seed});
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    std::uint8_t* const row = image.row(y);
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int slope = (x * (3 + c) + y * (5 - c)) % 256;
        const bool box = (x / 11 + y / 7) % 3 == c;
        const int noise = static_cast<int>(random.below(24));
        row[x * channels + c] =
            static_cast<std::uint8_t>(std::min(255, slope * 2 / 3 + (box ? 60 : 0) + noise));
      }
    }
  }
  return image;
}

}  // namespace sluice
