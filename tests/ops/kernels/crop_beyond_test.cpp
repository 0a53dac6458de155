// Regions that reach beyond the picture.
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/crop.h>

#include <cstdint>

#include <gtest/gtest.h>

namespace sluice {
namespace crop_beyond_test {

using testing::make_picture;
using testing::on_small_pictures;
using testing::refusal;

constexpr int kColour[] = {7, 77, 177, 250};
const Fill kFill(7, 77, 177, 250);
constexpr int kFar = 2147483647;

TEST(CropPadded, IsFilledOutside) {
  const Rectangle regions[] = {{0, 0, 1, 1},   {-2, -3, 4, 6},  {1, 1, 9, 200},
                               {-9, 40, 5, 5}, {kFar, 0, 2, 2}, {0, -kFar - 1, 2, 3}};
  on_small_pictures({1, 2, 3, 4}, [&](const Image& in) {
    for (const Rectangle& region : regions) {
      Image out;
      kernels::crop_padded(in, region, kFill, out);
      ASSERT_EQ(out.height(), region.height);
      ASSERT_EQ(out.width(), region.width);
      for (int y = 0; y < out.height(); ++y) {
        for (int x = 0; x < out.width(); ++x) {
          const std::int64_t row = std::int64_t{region.y} + y, column = std::int64_t{region.x} + x;
          const bool inside = row >= 0 && column >= 0 && row < in.height() && column < in.width();
          for (int c = 0; c < in.channels(); ++c) {
            ASSERT_EQ(
                out.at(y, x, c),
                inside ? in.at(static_cast<int>(row), static_cast<int>(column), c) : kColour[c]);
          }
        }
      }
    }
  });
  Image out;
  EXPECT_NE(refusal([&] {
              kernels::crop_padded(make_picture(2, 2, 1), {0, 0, 0, 1}, 0, out);
            }),
            "");
}

TEST(CropTrimmed, IsWhatBothHave) {
  const struct {
    Rectangle region, expected;
  } cases[] = {{{0, 0, 5, 7}, {0, 0, 5, 7}},
               {{-2, -3, 4, 6}, {0, 0, 2, 3}},
               {{4, 6, 100, 100}, {4, 6, 1, 1}},
               {{-1, 2, kFar, kFar}, {0, 2, 5, 5}}};
  for (const auto& [region, expected] : cases) EXPECT_EQ(kernels::trimmed(region, 5, 7), expected);
  EXPECT_EQ(refusal([] {
              (void)kernels::trimmed({5, 0, 2, 3}, 5, 7);
            }),
            "crop: a region of 2 x 3 (height x width) at y = 5, x = 0 has nothing of the picture "
            "of 5 x 7");
  for (const Rectangle& none : {Rectangle{-2, 0, 2, 2}, Rectangle{0, 7, 1, 1},
                                Rectangle{1, 1, 0, 3}, Rectangle{1, 1, 3, -1}})
    EXPECT_NE(refusal([&] { (void)kernels::trimmed(none, 5, 7); }), "");
}

}  // namespace crop_beyond_test
}  // namespace sluice
