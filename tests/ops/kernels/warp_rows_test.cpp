#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/warp_rows.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace warp_rows_test {

using kernels::warp_row;
using kernels::WarpLine;
using kernels::WarpOptions;
using testing::make_picture;
using testing::place_level;

// Numbers of few bits, so that the formula in double precision meets the same places exactly.
const WarpLine kLines[] = {
    {0.5, 0.5, 1, 0},           {3.25, 2.75, 0.875, 0.4375},  {-4, 20.5, 1.125, -0.5},
    {60, 1.5, -0.75, 0.25},     {10.5, -3, 0.0625, 1.0},      {1.5, 40, 0.03125, -0.96875},
    {30.125, 9.25, 0, 0},       {-7.5, 4.0, 3.75, 0.015625},  {33, 50, -2.5, -3.25},
    {-1000.5, 3, 8, 0.0078125}, {5.5, -900, 0.001953125, 16}, {100, 100, 1, 1},
};

std::string text_of(const WarpLine& line) {
  return std::to_string(line.x) + "," + std::to_string(line.y) + " by " + std::to_string(line.dx) +
         "," + std::to_string(line.dy);
}

TEST(WarpRows, AgreeWithTheFormula) {
  const int sizes[][2] = {{1, 1}, {1, 13}, {2, 2}, {11, 1}, {3, 7}, {13, 17}, {41, 64}};
  constexpr std::uint8_t kUntouched = 99;
  constexpr std::size_t kMargin = 64;
  for (const auto& size : sizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      // In memory that ends with the last pixel.
      const Image drawn = make_picture(size[0], size[1], channels);
      std::vector<std::uint8_t> pixels(
          drawn.data(), drawn.data() + drawn.row_bytes() * static_cast<std::size_t>(size[0]));
      const Image in = Image::view(pixels.data(), size[0], size[1], channels, drawn.row_stride());
      for (const WarpOptions& how : testing::kAllWarps) {
        if (how.interpolation == Interpolation::bicubic) continue;  // never in straight lines
        for (const WarpLine& line : kLines) {
          for (const int width : {1, 2, 5, 8, 16, 31, 67, 130}) {
            SCOPED_TRACE(std::to_string(size[0]) + "x" + std::to_string(size[1]) + " channels " +
                         std::to_string(channels) + " " + name_of(how.interpolation) + " " +
                         name_of(how.border) + " " + text_of(line) + " width " +
                         std::to_string(width));
            const auto bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
            std::vector<std::uint8_t> expected;
            testing::on_every_target([&] {
              std::vector<std::uint8_t> row(bytes + 2 * kMargin, kUntouched);
              warp_row(in, line, how, width, row.data() + kMargin);
              if (expected.empty()) expected = row;
              ASSERT_EQ(row, expected);
            });
            for (std::size_t i = 0; i < kMargin; ++i) {
              ASSERT_EQ(expected[i], kUntouched);
              ASSERT_EQ(expected[kMargin + bytes + i], kUntouched);
            }
            for (std::size_t i = 0; i < bytes; ++i) {
              const int x = static_cast<int>(i) / channels, c = static_cast<int>(i) % channels;
              ASSERT_NEAR(expected[kMargin + i],
                          place_level(in, line.x + x * line.dx, line.y + x * line.dy, c, how), 0.65)
                  << "pixel " << x << " channel " << c;
            }
          }
        }
      }
    }
  }
}

// Rows may lie any distance apart, and in any order.
TEST(WarpRows, TakeViews) {
  const Image whole = make_picture(40, 50, 3);
  Image upside_down(40, 50, 3);
  for (int y = 0; y < 40; ++y)
    std::copy_n(whole.row(39 - y), whole.row_bytes(), upside_down.row(y));
  const Image view = Image::view(upside_down.row(39), 40, 50, 3, -upside_down.row_stride());
  const WarpLine line{2, 5, 0.875, 0.625};
  for (const Interpolation how : {Interpolation::nearest, Interpolation::bilinear}) {
    std::vector<std::uint8_t> expected(3 * 60), got(3 * 60);
    warp_row(whole, line, {how}, 60, expected.data());
    testing::on_every_target([&] {
      warp_row(view, line, {how}, 60, got.data());
      EXPECT_EQ(got, expected);
    });
  }
}

}  // namespace warp_rows_test
}  // namespace sluice
