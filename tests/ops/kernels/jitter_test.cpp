#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/jitter.h>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace jitter_test {

using testing::make_picture;
using testing::on_small_pictures;
using testing::refusal;

TEST(Jitter, TakesPixelsFromNearby) {
  on_small_pictures({1, 2, 3, 4}, [](const Image& in) {
    Random random({.seed = 3}), again({.seed = 3});
    Image out;
    kernels::jitter(random, in, 5, out);
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        const int row = y + static_cast<int>(again.below(5)) - 2;
        const int column = x + static_cast<int>(again.below(5)) - 2;
        for (int c = 0; c < in.channels(); ++c) {
          ASSERT_EQ(out.at(y, x, c), in.at(std::clamp(row, 0, in.height() - 1),
                                           std::clamp(column, 0, in.width() - 1), c));
        }
      }
    }
    kernels::jitter(random, in, 1, out);
    EXPECT_EQ(out, in);
  });
  Random random({.seed = 1});
  Image out;
  for (const int window : {-1, 0, 2, 257}) {
    EXPECT_EQ(refusal([&] { kernels::jitter(random, make_picture(2, 2, 1), window, out); }),
              "jitter: window_size must be an odd number between 1 and 255, not " +
                  std::to_string(window));
  }
}

}  // namespace jitter_test
}  // namespace sluice
