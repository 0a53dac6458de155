// Pictures for kernels that work on each pixel by itself: all small sizes, views with gaps between
// the rows, and one that has every level in every channel.
#pragma once

#include "tests/ops/kernels/reference.h"
#include <sluice/runtime/image.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace sluice::testing {

// Level x + 85 c in column x of channel c.
inline Image all_levels(int channels) {
  Image image(2, 256, channels);
  for (int y = 0; y < 2; ++y) {
    for (int i = 0; i < 256 * channels; ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(i / channels + 85 * (i % channels));
  }
  return image;
}

template <class F>
void on_small_pictures(std::initializer_list<int> all_channels, const F& f) {
  constexpr std::pair<int, int> kSizes[] = {{1, 1}, {1, 2},  {1, 3},  {2, 1},  {1, 7},  {5, 1},
                                            {3, 5}, {7, 11}, {2, 16}, {3, 31}, {2, 65}, {13, 127}};
  for (const int channels : all_channels) {
    f(all_levels(channels));
    for (const auto& [height, width] : kSizes) {
      SCOPED_TRACE(std::to_string(height) + " x " + std::to_string(width) + " x " +
                   std::to_string(channels));
      const Image whole = make_picture(height + 2, width + 3, channels,
                                       static_cast<std::uint32_t>(height * 131 + width));
      f(whole.crop_view(1, 2, height, width));
    }
  }
}

// What the std::invalid_argument says that f throws; nothing, if it throws none.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace sluice::testing
