// Images of many sizes, channels and shades, from dark to bright: their statistics cover the whole
// range. For the tests of conditionals on numbers that a device computes.
#pragma once

#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

inline Image shaded_image(std::int64_t i) {
  const int n = static_cast<int>(i);
  Image image =
      draw_image(20 + n % 7 * 9, 30 + n % 5 * 11, 1 + n % 4, static_cast<std::uint64_t>(i));
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t x = 0; x < image.row_bytes(); ++x)
      image.row(y)[x] = static_cast<std::uint8_t>(image.row(y)[x] * (n % 11) / 10);
  }
  return image;
}

inline Value<Image> shaded(Graph& g, std::int64_t samples) {
  return g.map(
      "draw", [](std::int64_t i) { return shaded_image(i); },
      g.source(samples, [](const SampleInfo& info) { return info.index_in_epoch; }));
}

}  // namespace sluice::device
