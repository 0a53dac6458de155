#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/shear.h>

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace shear_test {

using kernels::WarpOptions;
using testing::expect_levels;
using testing::for_all_warps;
using testing::Place;

// What lies at (dx, dy) from the centre goes to (dx + sx dy, dy + sy dx).
TEST(Shear, AgreesWithTheFormula) {
  const kernels::Shear all[] = {
      {0.25, 0, 0, 0}, {0, -0.5, 0, 0}, {0.5, 0, 0, 0.5}, {-1, 1, 0.5, 0.5}, {0.5, -0.5, 0.25, 0}};
  for_all_warps([&](const Image& in, const WarpOptions& how) {
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

TEST(Shear, RefusesWhatCannotBe) {
  Image out;
  EXPECT_THROW(kernels::shear(Image(), {}, {}, out), std::invalid_argument);
  try {
    kernels::shear(testing::make_picture(8, 8, 3), {.x = 2, .y = 0.5}, {}, out);
    FAIL() << "a line was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()),
              "shear: x = 2 and y = 0.5 leave no more than a line of the picture; x * y must not "
              "be 1");
  }
}

}  // namespace shear_test
}  // namespace sluice
