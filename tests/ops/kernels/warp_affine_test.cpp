// warp_affine, and shear and translate, which are made of it, beside their formulas.
#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/shear.h>
#include <sluice/ops/kernels/translate.h>
#include <sluice/ops/kernels/warp_affine.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace sluice {
namespace {

using kernels::AffineMap;
using kernels::WarpOptions;
using testing::make_picture;
using testing::place_level;

const WarpOptions kAllWays[] = {
    {Interpolation::nearest, Border::constant, {7, 77, 177, 250}},
    {Interpolation::nearest, Border::edge},
    {Interpolation::bilinear, Border::constant, {7, 77, 177, 250}},
    {Interpolation::bilinear, Border::edge},
};
const int kSizes[][2] = {{1, 1}, {1, 7}, {5, 1}, {2, 3}, {13, 11}, {29, 37}};

// Compares `out` with the levels at the places that place(x, y) gives for centres of pixels.
template <class F>
void expect_levels(const Image& in, const WarpOptions& how, const Image& out, F place) {
  int wrong = 0;
  for (int y = 0; y < out.height(); ++y) {
    for (int x = 0; x < out.width(); ++x) {
      const auto [from_x, from_y] = place(x + 0.5, y + 0.5);
      for (int c = 0; c < in.channels(); ++c) {
        if (std::abs(out.at(y, x, c) - place_level(in, from_x, from_y, c, how)) > 0.75) ++wrong;
      }
    }
  }
  EXPECT_EQ(wrong, 0) << in.height() << "x" << in.width() << "x" << in.channels() << " "
                      << name_of(how.interpolation) << " " << name_of(how.border);
}

struct Place {
  double x, y;
};

// Every picture, of every size and number of channels, in every way.
template <class F>
void for_all(const F& f) {
  for (const auto& size : kSizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = make_picture(size[0], size[1], channels);
      for (const WarpOptions& how : kAllWays) f(in, how);
    }
  }
}

// In numbers of few bits, so that both sides meet the same places.
TEST(WarpAffine, AgreesWithTheFormula) {
  const AffineMap maps[] = {{},
                            {1, 0.3125, -4, 0, 1, 0},
                            {0.5, 0, 0, 0, 2, 0},
                            {-1.25, 0.125, 30, 0.6875, 0.875, -2},
                            {0, 1, 0, 1, 0, 0},
                            {1, 0, 1000000, 0, 1, 0},
                            {0, 0, 3.25, 0, 0, 2.5}};
  for_all([&](const Image& in, const WarpOptions& how) {
    for (const AffineMap& m : maps) {
      for (const auto& size : {std::pair{1, 1}, {9, 33}, {in.height(), in.width()}}) {
        Image out;
        kernels::warp_affine("warp_affine", in, m, size.first, size.second, how, out);
        ASSERT_EQ(out.height(), size.first);
        ASSERT_EQ(out.width(), size.second);
        expect_levels(in, how, out, [&](double x, double y) {
          return Place{m.xx * x + m.xy * y + m.x0, m.yx * x + m.yy * y + m.y0};
        });
      }
    }
  });
}

TEST(WarpAffine, TheInverseLeadsBack) {
  const AffineMap map{2, 0.5, -7, -0.25, 1.5, 3};
  const AffineMap back = kernels::inverse("warp_affine", map);
  for (const Place& p : {Place{0, 0}, {10, 3}, {-5, 70}}) {
    const double x = map.xx * p.x + map.xy * p.y + map.x0;
    const double y = map.yx * p.x + map.yy * p.y + map.y0;
    EXPECT_NEAR(back.xx * x + back.xy * y + back.x0, p.x, 1e-12);
    EXPECT_NEAR(back.yx * x + back.yy * y + back.y0, p.y, 1e-12);
  }
}

// What lies at (dx, dy) from the centre goes to (dx + sx dy, dy + sy dx).
TEST(Shear, AgreesWithTheFormula) {
  const kernels::Shear all[] = {
      {0.25, 0, 0, 0}, {0, -0.5, 0, 0}, {0.5, 0, 0, 0.5}, {-1, 1, 0.5, 0.5}, {0.5, -0.5, 0.25, 0}};
  for_all([&](const Image& in, const WarpOptions& how) {
    for (const kernels::Shear& s : all) {
      Image out;
      kernels::shear(in, s, how, out);
      ASSERT_EQ(out.height(), in.height());
      ASSERT_EQ(out.width(), in.width());
      // Solved for dx and dy; pictures whose places are not exact are left to the next test.
      const double cx = s.center_x * in.width(), cy = s.center_y * in.height();
      const double area = 1 - s.x * s.y;
      if (how.interpolation == Interpolation::nearest && area != 1.0 && area != 2.0) continue;
      expect_levels(in, how, out, [&](double x, double y) {
        const double dx = x - cx, dy = y - cy;
        return Place{(dx - s.x * dy) / area + cx, (dy - s.y * dx) / area + cy};
      });
    }
  });
}

TEST(Shear, MovesARowToTheRight) {
  Image in = testing::constant_picture(8, 16, 1, 0), out;
  for (int y = 0; y < 8; ++y) in.row(y)[3] = 200;
  kernels::shear(in, {.x = 2, .center_y = 0.5}, {.interpolation = Interpolation::nearest}, out);
  for (int y = 0; y < 8; ++y) {
    // Row 4 lies half a row below the middle: one pixel to the right.
    for (int x = 0; x < 16; ++x) EXPECT_EQ(out.at(y, x, 0), x == 3 + 2 * y - 7 ? 200 : 0);
  }
}

TEST(Translate, AgreesWithTheFormula) {
  const Place moves[] = {{0, 0}, {3, -2}, {-1.25, 0.5}, {0.75, 100}, {-65535, 65535}};
  for_all([&](const Image& in, const WarpOptions& how) {
    for (const Place& move : moves) {
      Image out;
      kernels::translate(in, move.x, move.y, false, how, out);
      expect_levels(in, how, out, [&](double x, double y) {
        return Place{x - move.x, y - move.y};
      });
    }
    Image out;
    kernels::translate(in, 0.5, -0.25, true, how, out);
    expect_levels(in, how, out, [&](double x, double y) {
      return Place{x - 0.5 * in.width(), y + 0.25 * in.height()};
    });
  });
}

TEST(Translate, MovesWholePixels) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = make_picture(11, 23, channels);
    for (const WarpOptions& how : kAllWays) {
      Image out;
      kernels::translate(in, 4, 3, false, how, out);
      EXPECT_EQ(out.crop_view(3, 4, 8, 19), in.crop_view(0, 0, 8, 19));
    }
  }
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(WarpAffine, RefusesWhatCannotBe) {
  const Image in = make_picture(8, 8, 3);
  Image out;
  const auto warp = [&](const AffineMap& map, int height = 8, int width = 8,
                        const WarpOptions& how = {}) {
    return error_of([&] { kernels::warp_affine("warp", in, map, height, width, how, out); });
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double much = std::numeric_limits<double>::infinity();
  EXPECT_EQ(warp({}), "");
  EXPECT_NE(warp({none, 0, 0, 0, 1, 0}).find("warp: the map [nan 0 0; 0 1 0]"), std::string::npos);
  EXPECT_NE(warp({1, 0, 0, 0, much, 0}), "");
  EXPECT_EQ(
      warp({3e6, 0, 0, 0, 1, 0}),
      "warp: the map [3e+06 0 0; 0 1 0] takes the pixels at 2.4e+07 x 0 (x, y), for an output "
      "of 8 x 8 (height x width); places must lie within 16777216 of the picture's corner");
  EXPECT_EQ(warp({1, 0, -16777215, 0, 1, 16777200}), "");
  EXPECT_NE(warp({1, 0, 0, 0, 1, -1e300}), "");
  EXPECT_NE(warp({}, 0, 8), "");
  EXPECT_NE(warp({}, 8, 65536), "");
  EXPECT_NE(warp({}, 8, 8, {.interpolation = Interpolation::bicubic}).find("bicubic"),
            std::string::npos);
  EXPECT_EQ(warp({}, 8, 8, {.border = Border::reflect}),
            "warp: border reflect is not possible; take constant or edge");
  EXPECT_NE(error_of([&] { kernels::translate(Image(), 1, 1, false, {}, out); }), "");
  EXPECT_NE(error_of([&] { kernels::shear(Image(), {}, {}, out); }), "");
  EXPECT_EQ(
      error_of([&] { kernels::shear(in, {.x = 2, .y = 0.5}, {}, out); }),
      "shear: x = 2 and y = 0.5 leave no more than a line of the picture; x * y must not be 1");
  for (const AffineMap& map :
       {AffineMap{1, 2, 0, 2, 4, 0}, {0, 0, 0, 0, 0, 0}, {none, 0, 0, 0, 1, 0}}) {
    EXPECT_NE(error_of([&] { (void)kernels::inverse("warp", map); }), "");
  }
}

}  // namespace
}  // namespace sluice
