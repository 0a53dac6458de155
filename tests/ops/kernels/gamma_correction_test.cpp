#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/gamma_correction.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace gamma_correction_test {

using kernels::gamma_correction;

struct Case {
  float gamma, gain;
};
constexpr Case kCases[] = {{1, 1},    {0.5f, 1}, {2.2f, 1},    {0.01f, 1}, {50, 1},
                           {1, 0.5f}, {1, 3},    {0.7f, 1.7f}, {0, 1},     {2, 0}};

TEST(GammaCorrection, FollowsTheFormula) {
  testing::on_small_pictures({1, 2, 3, 4}, [](const Image& in) {
    for (const Case& c : kCases) {
      Image out;
      gamma_correction(in, c.gamma, c.gain, out);
      EXPECT_EQ(out, testing::mapped(
                         in,
                         [&](int x) {
                           const long double part =
                               std::pow(x / 255.0L, static_cast<long double>(c.gamma));
                           return std::min(
                               255L, std::lround(255 * part * static_cast<long double>(c.gain)));
                         }))
          << c.gamma << " " << c.gain;
    }
  });
}

// Values worked out by hand: 255 * (64 / 255)^2 = 16.06, 255 * sqrt(64 / 255) = 127.75.
TEST(GammaCorrection, KnownValues) {
  const Image in = testing::constant_picture(1, 1, 1, 64);
  Image out;
  gamma_correction(in, 2, 1, out);
  EXPECT_EQ(out.at(0, 0, 0), 16);
  gamma_correction(in, 0.5f, 1, out);
  EXPECT_EQ(out.at(0, 0, 0), 128);
  gamma_correction(in, 0.5f, 1.5f, out);
  EXPECT_EQ(out.at(0, 0, 0), 192);
}

TEST(GammaCorrection, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  EXPECT_EQ(testing::refusal([&] { gamma_correction(in, -1, 1, out); }),
            "gamma_correction: gamma is -1; it must not be below zero");
  EXPECT_EQ(testing::refusal([&] { gamma_correction(in, 1, -2, out); }),
            "gamma_correction: gain is -2; it must not be below zero");
  EXPECT_EQ(testing::refusal(
                [&] { gamma_correction(in, std::numeric_limits<float>::infinity(), 1, out); }),
            "gamma_correction: gamma is inf; a finite number is needed");
  EXPECT_EQ(testing::refusal([&] { gamma_correction(Image(), 1, 1, out); }),
            "gamma_correction: the image is empty");
}

}  // namespace gamma_correction_test
}  // namespace sluice
