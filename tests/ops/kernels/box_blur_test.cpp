#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/box_blur.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace box_blur_test {

using kernels::box_blur;
using testing::make_picture;

// Of whole numbers, each row and column for itself.
Image means(const Image& in, int window) {
  const int reach = window / 2, height = in.height(), width = in.width();
  Image out(height, width, in.channels());
  for (int c = 0; c < in.channels(); ++c) {
    for (int y = 0; y < height; ++y) {
      std::vector<int> columns(static_cast<std::size_t>(width));
      for (int x = 0; x < width; ++x) {
        for (int k = -reach; k <= reach; ++k)
          columns[static_cast<std::size_t>(x)] += in.at(testing::folded(y + k, height), x, c);
      }
      for (int x = 0; x < width; ++x) {
        int sum = window * window / 2;
        for (int k = -reach; k <= reach; ++k)
          sum += columns[static_cast<std::size_t>(testing::folded(x + k, width))];
        out.row(y)[x * in.channels() + c] = static_cast<std::uint8_t>(sum / (window * window));
      }
    }
  }
  return out;
}

TEST(BoxBlur, IsTheMeanOnEveryTarget) {
  for (const int window : {1, 3, 5, 7, 9, 11, 13, 15, 17, 33, 127, 255}) {
    for (const testing::FilterSize& size : testing::filter_sizes()) {
      const int height = size.height, width = size.width;
      const Image whole = make_picture(height + 1, width + 1, 1 + (height + width) % 4);
      const Image in = whole.crop_view(1, 1, height, width);
      const Image expected = means(in, window);
      testing::on_every_target([&] {
        Image out;
        box_blur(in, window, out);
        EXPECT_EQ(out, expected) << window << " " << height << " x " << width;
      });
    }
  }
}

// Sums as large as they can be, and levels that are just above or below a half.
TEST(BoxBlur, RoundsToNearestAtTheEndsOfTheScale) {
  for (const int window : {3, 5, 7, 9, 11, 13, 15, 17, 181, 253, 255}) {
    for (const int level : {0, 1, 127, 254}) {
      Image in = testing::constant_picture(window > 17 ? 3 : window + 2, window + 2, 1, level);
      // Every other one is one higher, so that half of a box is, but for half a level.
      for (int y = 0; y < in.height(); ++y) {
        for (int x = 0; x < in.width(); ++x)
          in.row(y)[x] = static_cast<std::uint8_t>(level + (x + y) % 2);
      }
      const Image expected = means(in, window);
      testing::on_every_target([&] {
        Image out;
        box_blur(in, window, out);
        EXPECT_EQ(out, expected) << window << " " << level;
      });
    }
  }
}

TEST(BoxBlur, LeavesWhatIsFlatAlone) {
  for (const int window : {1, 3, 7, 255}) {
    const Image in = testing::constant_picture(5, 40, 3, 255);
    Image out;
    box_blur(in, window, out);
    EXPECT_EQ(out, in) << window;
  }
}

TEST(BoxBlur, RefusesWhatCannotBe) {
  const Image in = make_picture(4, 4, 3);
  Image out;
  EXPECT_THROW(box_blur(Image(), 3, out), std::invalid_argument);
  EXPECT_THROW(box_blur(Image(2, 2, 5), 3, out), std::invalid_argument);
  for (const int window : {-1, 0, 4, 256, 257}) {
    try {
      box_blur(in, window, out);
      FAIL() << "a window of " << window << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(),
                "box_blur: window_size must be an odd number between 1 and 255, not " +
                    std::to_string(window));
    }
  }
}

}  // namespace box_blur_test
}  // namespace sluice
