#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/motion_blur.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace sluice {
namespace motion_blur_test {

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

}  // namespace motion_blur_test
}  // namespace sluice
