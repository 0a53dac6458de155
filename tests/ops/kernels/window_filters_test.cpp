// Filters of windows, and of lines, against sums and picks from their definitions.
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/jitter.h>
#include <sluice/ops/kernels/laplacian.h>
#include <sluice/ops/kernels/morphology.h>
#include <sluice/ops/kernels/motion_blur.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::folded;
using testing::make_picture;
using testing::on_small_pictures;
using testing::refusal;

TEST(MotionBlur, AgreesWithTheDefinition) {
  const struct {
    int length;
    float degrees;
  } cases[] = {{1, 33}, {2, 0}, {5, 90}, {4, 45}, {7, -160}, {9, 1000.5f}};
  on_small_pictures({1, 2, 3, 4}, [&](const Image& in) {
    if (in.width() > 100) return;
    for (const auto& [length, degrees] : cases) {
      Image out;
      kernels::motion_blur(in, length, degrees, out);
      const double angle = static_cast<double>(degrees) * std::numbers::pi / 180;
      for (int y = 0; y < in.height(); ++y) {
        for (int x = 0; x < in.width(); ++x) {
          for (int c = 0; c < in.channels(); ++c) {
            double sum = 0;
            for (int i = 0; i < length; ++i) {
              const double t = i - (length - 1) * 0.5;
              // In hundredths of a millionth: what is a whole pixel is one.
              const double px = std::round((x + t * std::cos(angle)) * 1e8) / 1e8;
              const double py = std::round((y - t * std::sin(angle)) * 1e8) / 1e8;
              for (int row = static_cast<int>(std::floor(py)); row <= std::ceil(py); ++row) {
                for (int column = static_cast<int>(std::floor(px)); column <= std::ceil(px);
                     ++column) {
                  sum += (1 - std::abs(px - column)) * (1 - std::abs(py - row)) *
                         in.at(folded(row, in.height()), folded(column, in.width()), c);
                }
              }
            }
            ASSERT_LE(std::abs(out.at(y, x, c) - sum / length), 0.501)
                << length << " " << degrees << " at " << y << " " << x;
          }
        }
      }
    }
  });
  const Image in = make_picture(2, 2, 1);
  Image out;
  EXPECT_EQ(refusal([&] { kernels::motion_blur(in, 256, 0, out); }),
            "motion_blur: length must lie between 1 and 255, not 256");
  EXPECT_NE(refusal([&] { kernels::motion_blur(in, 0, 0, out); }), "");
  EXPECT_NE(
      refusal([&] { kernels::motion_blur(in, 3, std::numeric_limits<float>::infinity(), out); }),
      "");
}

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

}  // namespace
}  // namespace sluice
