#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/expand.h>

#include <cmath>

#include <gtest/gtest.h>

namespace sluice {
namespace expand_test {

using testing::make_picture;
using testing::on_small_pictures;
using testing::refusal;

constexpr int kColour[] = {7, 77, 177, 250};
const Fill kFill(7, 77, 177, 250);

bool holds(const Image& in, int y, int x) {
  return y >= 0 && x >= 0 && y < in.height() && x < in.width();
}

TEST(Expand, StandsOnACanvas) {
  const kernels::ExpandParams all[] = {{1, 0, 0}, {1.5f, 0.5f, 0.5f}, {3.7f, 1, 0.25f}, {2, 0, 1}};
  on_small_pictures({1, 3, 4}, [&](const Image& in) {
    for (const auto& params : all) {
      Image out;
      kernels::expand(in, params, kFill, out);
      const double ratio = static_cast<double>(params.ratio);
      ASSERT_EQ(out.height(), std::lround(in.height() * ratio));
      ASSERT_EQ(out.width(), std::lround(in.width() * ratio));
      const auto top = std::lround((out.height() - in.height()) * static_cast<double>(params.y));
      const auto left = std::lround((out.width() - in.width()) * static_cast<double>(params.x));
      for (int y = 0; y < out.height(); ++y) {
        for (int x = 0; x < out.width(); ++x) {
          const int row = y - static_cast<int>(top), column = x - static_cast<int>(left);
          for (int c = 0; c < in.channels(); ++c)
            ASSERT_EQ(out.at(y, x, c), holds(in, row, column) ? in.at(row, column, c) : kColour[c]);
        }
      }
    }
  });
  const Image in = make_picture(3, 4, 1);
  Image out;
  EXPECT_EQ(refusal([&] {
              kernels::expand(in, {0.5f, 0, 0}, 0, out);
            }),
            "expand: ratio is 0.5; it must be at least 1");
  EXPECT_EQ(refusal([&] {
              kernels::expand(in, {2, 0, 1.5f}, 0, out);
            }),
            "expand: x is 1.5; it must lie between 0 and 1");
  EXPECT_NE(refusal([&] { kernels::expand(in, {std::nanf(""), 0, 0}, 0, out); }), "");
  EXPECT_NE(refusal([&] { kernels::expand(in, {60000, 0, 0}, 0, out); }), "");
}

}  // namespace expand_test
}  // namespace sluice
