#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/brightness_contrast.h>
#include <sluice/ops/kernels/color_twist.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace sluice {
namespace color_twist_test {

using kernels::color_twist;
using kernels::ColorTwist;

constexpr ColorTwist kTwists[] = {{},
                                  {.brightness = 1.3f},
                                  {.contrast = 0.4f},
                                  {.saturation = 2},
                                  {.hue = 77},
                                  {.hue = -400},
                                  {.brightness = 0},
                                  {.contrast = 0},
                                  {.saturation = 0},
                                  {0.7f, 1.6f, 0.3f, 200},
                                  {1.5f, 0.5f, 2.5f, -30},
                                  {100, 100, 100, 45}};

// One step after the other on one pixel, with no matrix: to Y, I and Q, turned and stretched, back,
// then contrast, then brightness.
double expected(const Image& in, int y, int x, int c, const ColorTwist& twist) {
  const double r = in.at(y, x, 0), g = in.at(y, x, 1), b = in.at(y, x, 2);
  const double luma = .299 * r + .587 * g + .114 * b;
  const double i = .596 * r - .274 * g - .321 * b;
  const double q = .211 * r - .523 * g + .311 * b;
  const double a = twist.hue * std::numbers::pi / 180;
  const double s = twist.saturation;
  const double turned_i = std::cos(a) * s * i + std::sin(a) * s * q;
  const double turned_q = std::cos(a) * s * q - std::sin(a) * s * i;
  const double back = c == 0   ? luma + .956 * turned_i + .621 * turned_q
                      : c == 1 ? luma - .272 * turned_i - .647 * turned_q
                               : luma - 1.107 * turned_i + 1.705 * turned_q;
  const bool same = twist.hue == 0 && twist.saturation == 1;
  const double level = same ? in.at(y, x, c) : back;
  const double contrasted = twist.contrast * level + 128 * (1.0 - twist.contrast);
  return std::clamp(twist.brightness * contrasted, 0.0, 255.0);
}

TEST(ColorTwist, FollowsTheFormulaOnEveryInstructionSet) {
  testing::on_every_target([] {
    testing::on_small_pictures({3, 4}, [](const Image& in) {
      for (const ColorTwist& twist : kTwists) {
        Image out;
        color_twist(in, twist, out);
        ASSERT_EQ(out.channels(), in.channels());
        // Single precision: sums of up to 100 * 100 * 100 * 255 in 24 bits where that is the case.
        const double largest =
            2 * twist.brightness * twist.contrast * std::max(twist.saturation, 1.f);
        const double tolerance =
            twist.brightness == 100 ? 30 : 0.501 + testing::kColourMatrixError * largest;
        for (int y = 0; y < in.height(); ++y) {
          for (int x = 0; x < in.width(); ++x) {
            for (int c = 0; c < 3; ++c)
              ASSERT_NEAR(out.at(y, x, c), expected(in, y, x, c, twist), tolerance);
            if (in.channels() == 4) {
              ASSERT_EQ(out.at(y, x, 3), in.at(y, x, 3));
            }
          }
        }
      }
    });
  });
}

TEST(ColorTwist, SameBytesOnEveryInstructionSet) {
  const Image in = testing::make_picture(40, 771, 3);
  for (const ColorTwist& twist : kTwists) {
    Image first;
    color_twist(in, twist, first);
    testing::on_every_target([&] {
      Image out;
      color_twist(in, twist, out);
      EXPECT_EQ(out, first);
    });
  }
}

TEST(ColorTwist, NothingIsACopyAndGrayPicturesHaveNoHue) {
  testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
    Image out;
    color_twist(in, {}, out);
    EXPECT_EQ(out, in);
    if (in.channels() > 1) return;
    Image wanted;
    kernels::brightness_contrast(in, 1.5f, 0.5f, wanted);
    color_twist(in, {1.5f, 0.5f, 3, 99}, out);
    EXPECT_EQ(out, wanted);
  });
}

TEST(ColorTwist, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(testing::refusal([&] { color_twist(in, {.brightness = -1}, out); }),
            "color_twist: brightness is -1; it must not be below zero");
  EXPECT_EQ(testing::refusal([&] { color_twist(in, {.contrast = -1}, out); }),
            "color_twist: contrast is -1; it must not be below zero");
  EXPECT_EQ(testing::refusal([&] { color_twist(in, {.saturation = -1}, out); }),
            "color_twist: saturation is -1; it must not be below zero");
  EXPECT_EQ(testing::refusal([&] { color_twist(in, {.hue = nan}, out); }),
            "color_twist: hue is nan; a finite number is needed");
  EXPECT_EQ(testing::refusal([&] { color_twist(testing::make_picture(2, 2, 2), {}, out); }),
            "color_twist: the image has 2 channels; 1, 3 or 4 are possible");
  EXPECT_EQ(testing::refusal([&] { color_twist(Image(), {}, out); }),
            "color_twist: the image is empty");
}

// Numbers so large that single precision cannot hold their product: black or white, and no more.
TEST(ColorTwist, HugeNumbersAreCutOff) {
  const Image in = testing::make_picture(5, 7, 3);
  Image out;
  color_twist(in, {3e38f, 3e38f, 3e38f, 30}, out);
  for (int y = 0; y < out.height(); ++y) {
    for (std::size_t i = 0; i < out.row_bytes(); ++i)
      EXPECT_TRUE(out.row(y)[i] == 0 || out.row(y)[i] == 255);
  }
}

}  // namespace color_twist_test
}  // namespace sluice
