#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/median_blur.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace median_blur_test {

using kernels::median_blur;
using testing::make_picture;

TEST(MedianBlur, IsTheMedianOnEveryTarget) {
  for (const int window : {3, 5}) {
    for (const testing::FilterSize& size : testing::filter_sizes()) {
      const int height = size.height, width = size.width;
      for (int channels = 1; channels <= 4; ++channels) {
        const Image whole = make_picture(height + 1, width + 1, channels);
        const Image in = whole.crop_view(1, 0, height, width);
        testing::on_every_target([&] {
          Image out;
          median_blur(in, window, out);
          ASSERT_EQ(out.height(), height);
          ASSERT_EQ(out.width(), width);
          for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
              for (int c = 0; c < channels; ++c) {
                std::vector<int> levels;
                for (int i = 0; i < window * window; ++i) {
                  levels.push_back(in.at(std::clamp(y + i / window - window / 2, 0, height - 1),
                                         std::clamp(x + i % window - window / 2, 0, width - 1), c));
                }
                std::sort(levels.begin(), levels.end());
                ASSERT_EQ(out.at(y, x, c), levels[levels.size() / 2]) << y << " " << x;
              }
            }
          }
        });
      }
    }
  }
}

// By the principle of zeros and ones, a network that finds every median of two levels finds all.
TEST(MedianBlur, FindsEveryMedianOfTwoLevels) {
  Image in(3, 3 * 512, 1);
  for (int i = 0; i < 512; ++i) {
    for (int k = 0; k < 9; ++k)
      in.row(k / 3)[3 * i + k % 3] = static_cast<std::uint8_t>((i >> k & 1) * 255);
  }
  Image out;
  median_blur(in, 3, out);
  for (int i = 0; i < 512; ++i) {
    int ones = 0;
    for (int k = 0; k < 9; ++k) ones += i >> k & 1;
    EXPECT_EQ(out.at(1, 3 * i + 1, 0), ones >= 5 ? 255 : 0) << i;
  }
}

TEST(MedianBlur, RefusesWhatCannotBe) {
  const Image in = make_picture(4, 4, 3);
  Image out;
  EXPECT_THROW(median_blur(Image(), 3, out), std::invalid_argument);
  EXPECT_THROW(median_blur(Image(2, 2, 5), 3, out), std::invalid_argument);
  for (const int window : {-3, 0, 1, 4, 7}) {
    try {
      median_blur(in, window, out);
      FAIL() << "a window of " << window << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(),
                "median_blur: window_size must be 3 or 5, not " + std::to_string(window));
    }
  }
}

}  // namespace median_blur_test
}  // namespace sluice
