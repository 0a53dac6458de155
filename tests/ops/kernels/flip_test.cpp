#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/flip.h>

#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice {
namespace flip_test {

using kernels::flip;
using testing::make_picture;

TEST(Flip, MovesEveryPixel) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (const auto& [height, width] : {std::pair{1, 1},
                                        {1, 6},
                                        {5, 1},
                                        {7, 9},
                                        {8, 33},
                                        {1, 4},
                                        {1, 5},
                                        {2, 8},
                                        {2, 11},
                                        {1, 16},
                                        {2, 17}}) {
      const Image whole = make_picture(height + 3, width + 2, channels);
      for (const Image& in :
           {whole.crop_view(0, 0, height, width), whole.crop_view(2, 1, height, width)}) {
        for (int mode = 0; mode < 4; ++mode) {
          const bool horizontal = mode & 1, vertical = mode & 2;
          Image out;
          flip(in, horizontal, vertical, out);
          ASSERT_EQ(out.height(), height);
          ASSERT_EQ(out.width(), width);
          for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
              for (int c = 0; c < channels; ++c) {
                ASSERT_EQ(out.at(y, x, c),
                          in.at(vertical ? height - 1 - y : y, horizontal ? width - 1 - x : x, c));
              }
            }
          }
        }
      }
    }
  }
}

TEST(Flip, SamePixelsOnEveryInstructionSet) {
  for (int channels = 1; channels <= 4; ++channels) {
    for (int width = 1; width <= 40; ++width) {
      const Image in = make_picture(2, width, channels);
      testing::on_every_target([&] {
        Image out;
        flip(in, true, false, out);
        for (int x = 0; x < width * channels; ++x) {
          const int c = x % channels;
          ASSERT_EQ(out.at(1, x / channels, c), in.at(1, width - 1 - x / channels, c)) << width;
        }
      });
    }
  }
}

TEST(Flip, RefusesAnEmptyImage) {
  Image out;
  EXPECT_THROW(flip(Image(), true, false, out), std::invalid_argument);
  EXPECT_THROW(flip(Image(2, 2, 5), true, false, out), std::invalid_argument);
}

}  // namespace flip_test
}  // namespace sluice
