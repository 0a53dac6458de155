#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/flip.h>
#include <sluice/ops/kernels/rotate.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace rotate_test {

using kernels::rotate;
using kernels::RotateOptions;
using kernels::WarpOptions;
using testing::constant_picture;
using testing::largest_difference;
using testing::make_picture;
using testing::place_level;

TEST(Rotate, AgreesWithTheFormula) {
  const struct {
    int height, width;
  } sizes[] = {{1, 1}, {1, 9}, {8, 1}, {2, 2}, {31, 40}, {50, 37}};
  for (const auto& size : sizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = make_picture(size.height, size.width, channels);
      for (const float degrees :
           {0.5f, 10.f, 20.f, 33.25f, 89.f, 91.f, 200.f, -17.f, 355.f, 720.5f}) {
        for (const bool keep_size : {false, true}) {
          for (const Interpolation how :
               {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
            const WarpOptions all{how, Border::constant, {7, 77, 177, 250}};
            const double most = how == Interpolation::bicubic ? 1 : 0.75;
            Image out;
            rotate(in, degrees, {keep_size, all.fill, how}, out);
            if (keep_size) {
              ASSERT_EQ(out.height(), in.height());
              ASSERT_EQ(out.width(), in.width());
            }
            const double a = degrees * std::numbers::pi / 180.0;
            int wrong = 0;
            for (int y = 0; y < out.height(); ++y) {
              for (int x = 0; x < out.width(); ++x) {
                const double dx = x + 0.5 - out.width() / 2.0;
                const double dy = y + 0.5 - out.height() / 2.0;
                const double from_x = std::cos(a) * dx - std::sin(a) * dy + in.width() / 2.0;
                const double from_y = std::sin(a) * dx + std::cos(a) * dy + in.height() / 2.0;
                for (int c = 0; c < channels; ++c) {
                  const double expected = place_level(in, from_x, from_y, c, all);
                  if (std::abs(out.at(y, x, c) - expected) > most) ++wrong;
                }
              }
            }
            EXPECT_EQ(wrong, 0) << size.height << "x" << size.width << " by " << degrees
                                << (keep_size ? " size kept " : " ") << name_of(how) << " channels "
                                << channels;
          }
        }
      }
    }
  }
}

TEST(Rotate, CanvasHoldsTheCorners) {
  const struct {
    int height, width;
    float degrees;
    int out_height, out_width;
  } cases[] = {
      // ceil(max) - floor(min) of the turned corners: the half width for 20 degrees is (500 cos 20
      // + 375 sin 20) / 2 = 299.05 about 250, which gives 550 + 50.
      {375, 500, 20.f, 525, 600}, {375, 500, -20.f, 525, 600}, {100, 100, 45.f, 142, 142},
      {10, 20, 90.f, 20, 10},     {10, 20, 180.f, 10, 20},     {10, 20, 270.f, 20, 10},
      {10, 20, -90.f, 20, 10},    {10, 20, 360.f, 10, 20},
  };
  for (const auto& c : cases) {
    Image out;
    rotate(make_picture(c.height, c.width, 3), c.degrees, {}, out);
    EXPECT_EQ(out.height(), c.out_height) << c.degrees;
    EXPECT_EQ(out.width(), c.out_width) << c.degrees;
  }
}

TEST(Rotate, QuarterTurnsMoveWholePixels) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = make_picture(11, 17, channels);
    Image once, twice, thrice, none, both;
    rotate(in, 90, {}, once);
    rotate(once, 90, {}, twice);
    rotate(twice, 90, {}, thrice);
    for (int y = 0; y < 11; ++y) {
      for (int x = 0; x < 17; ++x) {
        // Counter-clockwise: the right column becomes the upper row.
        for (int c = 0; c < channels; ++c) ASSERT_EQ(once.at(16 - x, y, c), in.at(y, x, c));
      }
    }
    kernels::flip(in, true, true, both);
    EXPECT_EQ(twice, both);
    Image direct;
    rotate(in, 180, {}, direct);
    EXPECT_EQ(direct, both);
    rotate(in, 270, {}, direct);
    EXPECT_EQ(direct, thrice);
    rotate(in, -90, {}, direct);
    EXPECT_EQ(direct, thrice);
    rotate(in, 450, {}, direct);
    EXPECT_EQ(direct, once);
    rotate(in, 0, {}, none);
    EXPECT_EQ(none, in);
    rotate(in, -720, {}, none);
    EXPECT_EQ(none, in);
  }
}

TEST(Rotate, FillsWhatHasNoSource) {
  const Image in = constant_picture(40, 40, 3, 100);
  Image out;
  rotate(in, 45, {.fill = {1, 2, 3}}, out);
  EXPECT_EQ(out.at(0, 0, 0), 1);
  EXPECT_EQ(out.at(0, 0, 1), 2);
  EXPECT_EQ(out.at(0, 0, 2), 3);
  EXPECT_EQ(out.at(out.height() / 2, out.width() / 2, 1), 100);
  rotate(in, 45, {.fill = 128}, out);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(out.at(out.height() - 1, out.width() - 1, c), 128);
  rotate(in, 45, {.fill = 100}, out);
  EXPECT_EQ(out, constant_picture(out.height(), out.width(), 3, 100));
}

TEST(Rotate, TakesViews) {
  const Image whole = make_picture(50, 60, 3);
  const Image view = whole.crop_view(7, 11, 30, 25);
  for (const float degrees : {15.f, 90.f, 180.f, 300.f}) {
    Image from_view, from_copy;
    rotate(view, degrees, {}, from_view);
    rotate(view.clone(), degrees, {}, from_copy);
    EXPECT_EQ(from_view, from_copy) << degrees;
  }
}

TEST(Rotate, RefusesWhatCannotBe) {
  const Image in = make_picture(8, 8, 3);
  Image out;
  EXPECT_THROW(rotate(Image(), 10, {}, out), std::invalid_argument);
  EXPECT_THROW(rotate(in, std::numeric_limits<float>::infinity(), {}, out), std::invalid_argument);
  EXPECT_THROW(rotate(in, 10, {.fill = 256}, out), std::invalid_argument);
  EXPECT_THROW(rotate(in, 10, {.fill = {0, -1, 0}}, out), std::invalid_argument);
  try {
    rotate(in, 10, {.interpolation = Interpolation::lanczos}, out);
    FAIL() << "lanczos was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("interpolation lanczos"), std::string::npos);
  }
}

}  // namespace rotate_test
}  // namespace sluice
