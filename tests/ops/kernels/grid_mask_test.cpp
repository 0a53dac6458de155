#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/grid_mask.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_grid_mask_test {

using kernels::grid_mask;
using kernels::GridMask;

double remainder_of(double x, double tile) { return x - tile * std::floor(x / tile); }

TEST(GridMask, CoversTheSquaresOfATurnedGrid) {
  const GridMask masks[] = {{.tile = 10, .ratio = 0.35f, .degrees = 20, .fill = {1, 2, 3, 4}},
                            {.tile = 7, .degrees = -130.5f, .shift_x = 3.25f, .shift_y = -8},
                            {.tile = 3, .ratio = 0.9f, .degrees = 719, .shift_x = 1e5f},
                            {.tile = 65535, .degrees = 45}};
  for (const GridMask& mask : masks) {
    for (const auto& [height, width] : {std::pair{1, 1}, {1, 31}, {29, 1}, {40, 53}}) {
      for (int channels = 1; channels <= 4; ++channels) {
        const Image whole = testing::make_picture(height + 1, width + 1, channels);
        const Image in = whole.crop_view(1, 1, height, width);
        Image out;
        grid_mask(in, mask, out);
        const double a = mask.degrees * std::numbers::pi / 180;
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            const double dx = x - double{mask.shift_x}, dy = y - double{mask.shift_y};
            const double u = remainder_of(dx * std::cos(a) - dy * std::sin(a), mask.tile);
            const double v = remainder_of(dx * std::sin(a) + dy * std::cos(a), mask.tile);
            const double side = double{mask.ratio} * mask.tile;
            // Too close to an edge to tell.
            bool close = false;
            for (const double place : {u, v}) {
              for (const double edge : {0.0, side, double(mask.tile)})
                close |= std::abs(place - edge) < 0.005;
            }
            if (close) continue;
            for (int c = 0; c < channels; ++c) {
              ASSERT_EQ(out.at(y, x, c), u < side && v < side ? mask.fill[c] : in.at(y, x, c))
                  << mask.degrees << " " << y << " " << x;
            }
          }
        }
      }
    }
  }
}

// Edges lie between pixels, also after quarter turns: shifts are chosen so that all are the same.
TEST(GridMask, QuarterTurnsHaveSharpEdges) {
  const Image in = testing::constant_picture(30, 30, 1, 9);
  const struct {
    float degrees, shift_x, shift_y;
  } cases[] = {{0, 0, 0}, {360, 10, -20}, {90, 0, 2}, {180, 2, 2}, {-90, 2, 0}};
  for (const auto& c : cases) {
    Image out;
    grid_mask(in,
              {.tile = 10,
               .ratio = 0.3f,
               .degrees = c.degrees,
               .shift_x = c.shift_x,
               .shift_y = c.shift_y},
              out);
    for (int y = 0; y < 30; ++y) {
      for (int x = 0; x < 30; ++x)
        ASSERT_EQ(out.at(y, x, 0), y % 10 < 3 && x % 10 < 3 ? 0 : 9)
            << c.degrees << " " << y << " " << x;
    }
  }
}

TEST(GridMask, AllAndNothing) {
  const Image in = testing::make_picture(9, 11, 3);
  Image out;
  grid_mask(in, {.ratio = 0, .degrees = 30}, out);
  EXPECT_EQ(out, in);
  grid_mask(in, {.tile = 5, .ratio = 1, .degrees = 30, .fill = 8}, out);
  EXPECT_EQ(out, testing::constant_picture(9, 11, 3, 8));
}

TEST(GridMask, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(4, 4, 3);
  Image out;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(grid_mask(Image(), {}, out), std::invalid_argument);
  EXPECT_THROW(grid_mask(Image(2, 2, 5), {}, out), std::invalid_argument);
  for (const GridMask& bad : {GridMask{.tile = 0},
                              {.tile = 65536},
                              {.ratio = -0.1f},
                              {.ratio = 1.1f},
                              {.ratio = nan},
                              {.degrees = nan},
                              {.shift_x = 2e6f},
                              {.shift_y = -2e6f}}) {
    EXPECT_THROW(grid_mask(in, bad, out), std::invalid_argument);
  }
  try {
    grid_mask(in, {.ratio = 2}, out);
    FAIL() << "a ratio of 2 was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "grid_mask: ratio is 2; it must lie between 0 and 1");
  }
}

}  // namespace kernels_grid_mask_test
}  // namespace sluice
