#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/sharpness.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_sharpness_test {

using kernels::sharpness;

const testing::Weights kSmooth = {{1, 1, 1}, {1, 5, 1}, {1, 1, 1}};

double sharpened(const Image& in, int y, int x, int c, double factor) {
  const double level = in.at(y, x, c);
  if (y == 0 || x == 0 || y == in.height() - 1 || x == in.width() - 1) return level;
  const double smooth = std::floor(testing::weighted_sum(in, y, x, c, kSmooth) / 13 + 0.5);
  return std::clamp(smooth + factor * (level - smooth), 0.0, 255.0);
}

TEST(Sharpness, FollowsTheFormulaOnEveryTarget) {
  for (const float factor : {0.f, 0.1f, 0.5f, 1.f, 1.5f, 1.9f, 2.f, 7.3f, 100.f}) {
    for (const testing::FilterSize& size : testing::filter_sizes()) {
      const int height = size.height, width = size.width;
      for (int channels = 1; channels <= 4; ++channels) {
        const Image whole = testing::make_picture(height + 2, width + 1, channels);
        const Image in = whole.crop_view(1, 1, height, width);
        testing::on_every_target([&] {
          Image out;
          sharpness(in, factor, out);
          ASSERT_EQ(out.height(), height);
          ASSERT_EQ(out.width(), width);
          for (int y = 0; y < height; ++y) {
            for (int i = 0; i < width * channels; ++i) {
              const int x = i / channels, c = i % channels;
              const double expected = sharpened(in, y, x, c, factor);
              // A factor is a number of 16 bits, which is coarse for large ones.
              ASSERT_LE(std::abs(out.at(y, x, c) - expected), factor > 10 ? 1.0 : 0.52)
                  << factor << " " << y << " " << x << " " << c;
            }
          }
        });
      }
    }
  }
}

TEST(Sharpness, IsTheSameOnEveryTarget) {
  const Image in = testing::make_picture(40, 99, 3);
  for (const float factor : {0.3f, 1.7f, 33.f}) {
    Image first;
    testing::on_every_target([&] {
      Image out;
      sharpness(in, factor, out);
      if (first.empty()) first = out.clone();
      EXPECT_EQ(out, first);
    });
  }
}

TEST(Sharpness, OneIsACopy) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = testing::make_picture(9, 33, channels);
    Image out;
    sharpness(in, 1, out);
    EXPECT_EQ(out, in);
  }
}

// Every mean that there is: the division by 13 is exact.
TEST(Sharpness, MeansAreRoundedToNearest) {
  for (int sum = 0; sum <= 13 * 255; ++sum) {
    Image in(3, 3, 1);
    const int centre = sum > 13 * 254 ? 255 : sum / 13;
    in.row(1)[1] = static_cast<std::uint8_t>(centre);
    int left = sum - 5 * centre;
    for (int i = 0; i < 9; ++i) {
      if (i == 4) continue;
      const int level = std::min(255, left);
      in.row(i / 3)[i % 3] = static_cast<std::uint8_t>(level);
      left -= level;
    }
    ASSERT_EQ(left, 0);
    Image out;
    sharpness(in, 0, out);
    ASSERT_EQ(out.at(1, 1, 0), (2 * sum + 13) / 26) << sum;
  }
}

TEST(Sharpness, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(4, 4, 3);
  Image out;
  EXPECT_THROW(sharpness(Image(), 1, out), std::invalid_argument);
  EXPECT_THROW(sharpness(Image(2, 2, 5), 1, out), std::invalid_argument);
  EXPECT_THROW(sharpness(in, std::numeric_limits<float>::quiet_NaN(), out), std::invalid_argument);
  for (const float factor : {-0.5f, 101.f}) {
    try {
      sharpness(in, factor, out);
      FAIL() << "a factor of " << factor << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("it must lie between 0 and 100"), std::string::npos);
    }
  }
}

}  // namespace kernels_sharpness_test
}  // namespace sluice
