#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/transpose.h>

#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_transpose_test {

void expect_every_pixel_moved(const Image& in) {
  Image out, left, right;
  kernels::transpose(in, out);
  kernels::turn_left(in, left);
  kernels::turn_right(in, right);
  const int height = in.height(), width = in.width();
  for (const Image* result : {&out, &left, &right}) {
    ASSERT_EQ(result->height(), width);
    ASSERT_EQ(result->width(), height);
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < in.channels(); ++c) {
        ASSERT_EQ(out.at(x, y, c), in.at(y, x, c));
        ASSERT_EQ(left.at(width - 1 - x, y, c), in.at(y, x, c));
        ASSERT_EQ(right.at(x, height - 1 - y, c), in.at(y, x, c));
      }
    }
  }
}

TEST(Transpose, MovesEveryPixelOnEveryTarget) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (const auto& size : {std::pair{1, 1},
                             {1, 6},
                             {5, 1},
                             {4, 4},
                             {4, 5},
                             {5, 6},
                             {6, 5},
                             {6, 7},
                             {7, 9},
                             {8, 8},
                             {16, 17},
                             {18, 16},
                             {31, 32},
                             {33, 70}}) {
      const int height = size.first, width = size.second;
      SCOPED_TRACE(::testing::Message() << width << " x " << height << " x " << channels);
      // The one fills its memory: what is read past it or before it is found by a sanitizer.
      const Image whole = testing::make_picture(height, width, channels);
      const Image part = testing::make_picture(height + 3, width + 2, channels);
      testing::on_every_target([&] {
        expect_every_pixel_moved(whole);
        expect_every_pixel_moved(part.crop_view(2, 1, height, width));
      });
    }
  }
}

TEST(Transpose, RefusesWhatIsNoPicture) {
  Image out;
  EXPECT_THROW(kernels::transpose(Image(), out), std::invalid_argument);
  EXPECT_THROW(kernels::transpose(Image(2, 2, 5), out), std::invalid_argument);
}

}  // namespace kernels_transpose_test
}  // namespace sluice
