#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/box_blur.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace box_blur_test {

using kernels::box_blur;
using testing::make_picture;

TEST(BoxBlur, IsTheMeanOnEveryTarget) {
  for (const int window : {1, 3, 5, 9, 33}) {
    const auto side = static_cast<std::size_t>(window);
    const testing::Weights weights(side, std::vector<double>(side, 1.0 / (window * window)));
    for (const testing::FilterSize& size : testing::filter_sizes()) {
      const int height = size.height, width = size.width;
      const Image whole = make_picture(height + 1, width + 1, 1 + (height + width) % 4);
      const Image in = whole.crop_view(1, 1, height, width);
      std::vector<double> exact;
      for (int y = 0; y < height; ++y) {
        for (int i = 0; i < width * in.channels(); ++i)
          exact.push_back(
              testing::weighted_sum(in, y, i / in.channels(), i % in.channels(), weights));
      }
      Image first;
      testing::on_every_target([&] {
        Image out;
        box_blur(in, window, out);
        ASSERT_EQ(out.height(), height);
        ASSERT_EQ(out.width(), width);
        for (std::size_t i = 0; i < exact.size(); ++i)
          ASSERT_LE(std::abs(out.data()[i] - exact[i]), 0.75) << window << " " << i;
        if (first.empty()) first = out.clone();
        EXPECT_EQ(out, first);
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
