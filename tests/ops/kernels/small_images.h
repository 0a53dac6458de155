// Images for kernels that work on each pixel by itself: all small sizes, views with gaps between
// the rows, and one with every pixel value in every channel.
#pragma once

#include "tests/ops/kernels/reference.h"
#include <sluice/runtime/image.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice::testing {

// Returns an image with the value x + 85 c in column x of channel c.
inline Image all_levels(int channels) {
  Image image(2, 256, channels);
  for (int y = 0; y < 2; ++y) {
    for (int i = 0; i < 256 * channels; ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(i / channels + 85 * (i % channels));
  }
  return image;
}

inline constexpr ImageSize kSmallSizes[] = {{1, 1}, {1, 2},  {1, 3},  {2, 1},  {1, 7},  {5, 1},
                                            {3, 5}, {7, 11}, {2, 16}, {3, 31}, {2, 65}, {13, 127}};

// Returns an image for a view of this size: view_in() leaves gaps between the rows.
inline Image image_around(const ImageSize& size, int channels) {
  return make_image(size.height + 2, size.width + 3, channels,
                    static_cast<std::uint32_t>(size.height * 131 + size.width));
}
inline Image view_in(const Image& whole, const ImageSize& size) {
  return whole.crop_view(1, 2, size.height, size.width);
}

template <class F>
void on_small_images(std::initializer_list<int> all_channels, const F& f) {
  for (const int channels : all_channels) {
    f(all_levels(channels));
    for (const ImageSize& size : kSmallSizes) {
      SCOPED_TRACE(std::to_string(size.height) + " x " + std::to_string(size.width) + " x " +
                   std::to_string(channels));
      const Image whole = image_around(size, channels);
      f(view_in(whole, size));
    }
  }
}

// Returns the message of the std::invalid_argument that f throws; empty if it throws none.
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
