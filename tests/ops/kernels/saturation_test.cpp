#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/luma.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/saturation.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace saturation_test {

using kernels::saturation;

double expected(const Image& in, int y, int x, int c, double factor) {
  const double luma =
      (19595.0 * in.at(y, x, 0) + 38470.0 * in.at(y, x, 1) + 7471.0 * in.at(y, x, 2)) / 65536;
  return std::clamp(factor * in.at(y, x, c) + (1 - factor) * luma, 0.0, 255.0);
}

TEST(Saturation, FollowsTheFormulaOnEveryInstructionSet) {
  testing::on_every_target([] {
    testing::on_small_pictures({3, 4}, [](const Image& in) {
      for (const float factor : {0.f, 0.4f, 1.f, 1.9f, 20.f}) {
        Image out;
        saturation(in, factor, out);
        ASSERT_EQ(out.channels(), in.channels());
        const double tolerance =
            0.501 + testing::kColourMatrixError * (factor + std::abs(1 - factor));
        for (int y = 0; y < in.height(); ++y) {
          for (int x = 0; x < in.width(); ++x) {
            for (int c = 0; c < 3; ++c)  // single precision may round a half to either side
              ASSERT_NEAR(out.at(y, x, c), expected(in, y, x, c, factor), tolerance) << factor;
            if (in.channels() == 4) {
              ASSERT_EQ(out.at(y, x, 3), in.at(y, x, 3));
            }
          }
        }
      }
    });
  });
}

TEST(Saturation, SameBytesOnEveryInstructionSet) {
  const Image in = testing::make_picture(40, 771, 3);
  for (const float factor : {0.f, 0.123f, 0.5f, 0.77f, 1.234f, 3.f}) {
    Image first;
    saturation(in, factor, first);
    testing::on_every_target([&] {
      Image out;
      saturation(in, factor, out);
      EXPECT_EQ(out, first) << factor;
    });
  }
}

TEST(Saturation, ZeroIsGrayAndOneIsACopy) {
  testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
    Image out;
    saturation(in, 1, out);
    EXPECT_EQ(out, in);
    saturation(in, 0, out);
    if (in.channels() == 1) {
      EXPECT_EQ(out, in);
      return;
    }
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        const int luma = testing::luma(in.at(y, x, 0), in.at(y, x, 1), in.at(y, x, 2));
        for (int c = 0; c < 3; ++c) EXPECT_EQ(out.at(y, x, c), luma);
      }
    }
  });
}

TEST(Saturation, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  EXPECT_EQ(testing::refusal([&] { saturation(in, -1, out); }),
            "saturation: factor is -1; it must not be below zero");
  EXPECT_NE(testing::refusal([&] { saturation(in, std::numeric_limits<float>::quiet_NaN(), out); }),
            "");
  EXPECT_EQ(testing::refusal([&] { saturation(testing::make_picture(2, 2, 2), 1, out); }),
            "saturation: the image has 2 channels; 1, 3 or 4 are possible");
  EXPECT_EQ(testing::refusal([&] { saturation(Image(), 1, out); }),
            "saturation: the image is empty");
}

}  // namespace saturation_test
}  // namespace sluice
