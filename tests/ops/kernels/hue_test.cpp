#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/hue.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace hue_test {

using kernels::hue;
using Colour = std::array<double, 3>;

// To HSV and back by cases, in double precision, as textbooks have it; levels as parts of 1.
Colour expected(const Colour& rgb, double degrees) {
  const double v = *std::max_element(rgb.begin(), rgb.end());
  const double c = v - *std::min_element(rgb.begin(), rgb.end());
  if (c == 0) return rgb;
  const double s = c / v;
  double h = rgb[0] == v   ? (rgb[1] - rgb[2]) / c
             : rgb[1] == v ? 2 + (rgb[2] - rgb[0]) / c
                           : 4 + (rgb[0] - rgb[1]) / c;
  h = h / 6 + degrees / 360;
  h = (h - std::floor(h)) * 6;
  const double f = h - std::floor(h);
  const double p = v * (1 - s), q = v * (1 - s * f), t = v * (1 - s * (1 - f));
  switch (static_cast<int>(h) % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

void expect_hue(const Image& in, float degrees, const Image& out) {
  ASSERT_EQ(out.channels(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x) {
      const Colour wanted = expected(
          {in.at(y, x, 0) / 255.0, in.at(y, x, 1) / 255.0, in.at(y, x, 2) / 255.0}, degrees);
      for (int c = 0; c < 3; ++c) {
        // Steps of 2^-15 of at most 255 levels.
        ASSERT_NEAR(out.at(y, x, c), 255 * wanted[static_cast<std::size_t>(c)], 0.51)
            << degrees << " at " << y << " " << x << " " << c;
      }
      if (in.channels() == 4) {
        ASSERT_EQ(out.at(y, x, 3), in.at(y, x, 3));
      }
    }
  }
}

constexpr float kDegrees[] = {0.f, 1.f, 17.3f, 60.f, 119.f, 180.f, 359.9f, -1.f, -100.f, 1000.f};

TEST(Hue, IsThatOfHsvOnEveryInstructionSet) {
  testing::on_every_target([] {
    testing::on_small_pictures({3, 4}, [](const Image& in) {
      for (const float degrees : kDegrees) {
        Image out;
        hue(in, degrees, out);
        expect_hue(in, degrees, out);
      }
    });
  });
}

TEST(Hue, AllCornersAndEdgesOfTheCube) {
  Image in(9, 81, 3);
  for (int i = 0; i < 9 * 9 * 9; ++i) {
    const int steps[] = {i % 9, i / 9 % 9, i / 81};
    for (int c = 0; c < 3; ++c)
      in.data()[3 * i + c] = static_cast<std::uint8_t>(steps[c] * 255 / 8);
  }
  for (int degrees = -360; degrees <= 360; degrees += 15) {
    Image out;
    hue(in, static_cast<float>(degrees), out);
    expect_hue(in, static_cast<float>(degrees), out);
  }
}

TEST(Hue, SameBytesOnEveryInstructionSet) {
  const Image in = testing::make_picture(40, 771, 3);
  for (const float degrees : kDegrees) {
    Image first;
    hue(in, degrees, first);
    testing::on_every_target([&] {
      Image out;
      hue(in, degrees, out);
      EXPECT_EQ(out, first) << degrees;
    });
  }
}

TEST(Hue, WholeTurnsAreACopyAndThirdsExchangeChannels) {
  testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
    Image out;
    for (const float degrees : {0.f, 360.f, -720.f}) {
      hue(in, degrees, out);
      EXPECT_EQ(out, in);
    }
    hue(in, 120, out);
    for (int x = 0; x < in.width() && in.channels() > 1; ++x) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(out.at(0, x, (c + 1) % 3), in.at(0, x, c));
    }
  });
}

TEST(Hue, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  EXPECT_EQ(testing::refusal([&] { hue(in, std::numeric_limits<float>::infinity(), out); }),
            "hue: degrees is inf; a finite number is needed");
  EXPECT_EQ(testing::refusal([&] { hue(testing::make_picture(2, 2, 2), 1, out); }),
            "hue: the image has 2 channels; 1, 3 or 4 are possible");
  EXPECT_EQ(testing::refusal([&] { hue(Image(), 1, out); }), "hue: the image is empty");
}

}  // namespace hue_test
}  // namespace sluice
