#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/warp_affine.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace sluice {
namespace warp_affine_test {

using kernels::AffineMap;
using kernels::WarpOptions;
using testing::expect_levels;
using testing::for_all_warps;
using testing::make_picture;
using testing::Place;

// In numbers of few bits, so that both sides meet the same places.
TEST(WarpAffine, AgreesWithTheFormula) {
  const AffineMap maps[] = {{},
                            {1, 0.3125, -4, 0, 1, 0},
                            {0.5, 0, 0, 0, 2, 0},
                            {-1.25, 0.125, 30, 0.6875, 0.875, -2},
                            {0, 1, 0, 1, 0, 0},
                            {1, 0, 1000000, 0, 1, 0},
                            {0, 0, 3.25, 0, 0, 2.5}};
  for_all_warps([&](const Image& in, const WarpOptions& how) {
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
  EXPECT_NE(warp({}, 8, 8, {.interpolation = Interpolation::lanczos}).find("lanczos"),
            std::string::npos);
  EXPECT_EQ(warp({}, 8, 8, {.border = Border::reflect}),
            "warp: border reflect is not possible; take constant or edge");
  for (const AffineMap& map :
       {AffineMap{1, 2, 0, 2, 4, 0}, {0, 0, 0, 0, 0, 0}, {none, 0, 0, 0, 1, 0}}) {
    EXPECT_NE(error_of([&] { (void)kernels::inverse("warp", map); }), "");
  }
}

}  // namespace warp_affine_test
}  // namespace sluice
