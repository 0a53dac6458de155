#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/transpose.h>

#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_transpose_test {

TEST(Transpose, MovesEveryPixel) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (const auto& [height, width] :
         {std::pair{1, 1}, {1, 6}, {5, 1}, {7, 9}, {31, 32}, {33, 70}}) {
      const Image whole = testing::make_picture(height + 3, width + 2, channels);
      const Image in = whole.crop_view(2, 1, height, width);
      Image out, left, right;
      kernels::transpose(in, out);
      kernels::turn_left(in, left);
      kernels::turn_right(in, right);
      for (const Image* result : {&out, &left, &right}) {
        ASSERT_EQ(result->height(), width);
        ASSERT_EQ(result->width(), height);
      }
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          for (int c = 0; c < channels; ++c) {
            ASSERT_EQ(out.at(x, y, c), in.at(y, x, c));
            ASSERT_EQ(left.at(width - 1 - x, y, c), in.at(y, x, c));
            ASSERT_EQ(right.at(x, height - 1 - y, c), in.at(y, x, c));
          }
        }
      }
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
