#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/morphology.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace sluice {
namespace morphology_test {

using testing::make_picture;
using testing::on_small_pictures;
using testing::refusal;

TEST(Morphology, AgreesWithTheDefinition) {
  const kernels::MorphologyWindow windows[] = {{1, 1}, {3, 3}, {2, 5}, {7, 4}, {255, 1}, {1, 255}};
  on_small_pictures({1, 2, 3, 4}, [&](const Image& in) {
    if (in.width() > 100) return;
    for (const auto& window : windows) {
      Image light, dark;
      kernels::dilate(in, window, light);
      kernels::erode(in, window, dark);
      for (int y = 0; y < in.height(); ++y) {
        for (int x = 0; x < in.width(); ++x) {
          for (int c = 0; c < in.channels(); ++c) {
            int most = -1, least = 256;
            for (int row = 0; row < in.height(); ++row) {
              for (int column = 0; column < in.width(); ++column) {
                const int r = row - y + window.height / 2, k = column - x + window.width / 2;
                if (r < 0 || r >= window.height || k < 0 || k >= window.width) continue;
                most = std::max(most, int{in.at(row, column, c)});
                least = std::min(least, int{in.at(row, column, c)});
              }
            }
            ASSERT_EQ(light.at(y, x, c), most);
            ASSERT_EQ(dark.at(y, x, c), least);
          }
        }
      }
    }
  });
}

TEST(Morphology, SameOnEveryInstructionSet) {
  for (const auto& window : {kernels::MorphologyWindow{3, 3}, {4, 2}, {1, 7}, {9, 1}}) {
    for (const int width : {1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 300}) {
      const Image in = make_picture(7, width, 1);
      Image light, dark;
      kernels::dilate(in, window, light);
      kernels::erode(in, window, dark);
      testing::on_every_target([&] {
        Image out;
        kernels::dilate(in, window, out);
        EXPECT_EQ(out, light) << width;
        kernels::erode(in, window, out);
        EXPECT_EQ(out, dark) << width;
      });
    }
  }
}

TEST(Morphology, RefusesWhatCannotBe) {
  const Image in = make_picture(2, 2, 1);
  Image out;
  EXPECT_EQ(refusal([&] {
              kernels::dilate(in, {0, 3}, out);
            }),
            "dilate: window_height must lie between 1 and 255, not 0");
  EXPECT_EQ(refusal([&] {
              kernels::erode(in, {3, 256}, out);
            }),
            "erode: window_width must lie between 1 and 255, not 256");
}

}  // namespace morphology_test
}  // namespace sluice
