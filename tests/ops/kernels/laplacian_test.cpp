#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/laplacian.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace laplacian_test {

using testing::on_small_pictures;
using testing::refusal;

// Sobel's derivatives as tables, of which OpenCV's documentation has those of 3.
TEST(Laplacian, AgreesWithTheDefinition) {
  const testing::Weights one{{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};
  const testing::Weights three{{2, 0, 2}, {0, -8, 0}, {2, 0, 2}};
  const testing::Weights five{
      {2, 4, 4, 4, 2}, {4, 0, -8, 0, 4}, {4, -8, -24, -8, 4}, {4, 0, -8, 0, 4}, {2, 4, 4, 4, 2}};
  const struct {
    int window;
    float scale;
    const testing::Weights& weights;
  } cases[] = {{1, 1, one}, {3, 0.5f, three}, {3, -1, three}, {5, 0.125f, five}};
  on_small_pictures({1, 2, 3, 4}, [&](const Image& in) {
    for (const auto& [window, scale, weights] : cases) {
      Image out;
      kernels::laplacian(in, window, scale, out);
      for (int y = 0; y < in.height(); ++y) {
        for (int x = 0; x < in.width(); ++x) {
          for (int c = 0; c < in.channels(); ++c) {
            const double sum =
                static_cast<double>(scale) * testing::weighted_sum(in, y, x, c, weights);
            ASSERT_LE(std::abs(out.at(y, x, c) - std::clamp(sum, 0.0, 255.0)), 0.501);
          }
        }
      }
    }
  });
  // A window of 7 finds nothing on a slope, and the curvature of a parabola: 2 along x, times the
  // sums of its smoothing parts.
  Image slope(9, 20, 1), parabola(9, 20, 1), out;
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 20; ++x) {
      slope.row(y)[x] = static_cast<std::uint8_t>(3 * x + 5 * y);
      parabola.row(y)[x] = static_cast<std::uint8_t>((x - 10) * (x - 10));
    }
  }
  kernels::laplacian(slope, 7, 1, out);
  EXPECT_EQ(out.at(4, 10, 0), 0);
  kernels::laplacian(parabola, 7, 1.0f / 1024, out);
  EXPECT_EQ(out.at(4, 10, 0), 2);
  for (const int window : {0, 2, 4, 9}) {
    EXPECT_EQ(refusal([&] { kernels::laplacian(slope, window, 1, out); }),
              "laplacian: window_size must be 1, 3, 5 or 7, not " + std::to_string(window));
  }
  EXPECT_EQ(refusal([&] { kernels::laplacian(slope, 3, 257, out); }),
            "laplacian: scale is 257; it must lie between -256 and 256");
}

}  // namespace laplacian_test
}  // namespace sluice
