#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/pad.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace sluice {
namespace pad_test {

using kernels::Margins;

constexpr int kFills[][4] = {{7, 77, 177, 250}, {99, 99, 99, 99}};

// Step by step: beyond the border, back by as much, until it is inside.
int mirrored(int at, int length) {
  if (length == 1) return 0;
  while (at < 0 || at >= length) at = at < 0 ? -at : 2 * (length - 1) - at;
  return at;
}

void expect_definition(const Image& in, const Margins& m, Border border, const int (&fill)[4]) {
  const int height = in.height(), width = in.width();
  Image out;
  kernels::pad(in, m, border, {fill[0], fill[1], fill[2], fill[3]}, out);
  ASSERT_EQ(out.height(), height + m.top + m.bottom);
  ASSERT_EQ(out.width(), width + m.left + m.right);
  for (int y = 0; y < out.height(); ++y) {
    for (int x = 0; x < out.width(); ++x) {
      const int row = y - m.top, column = x - m.left;
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      for (int c = 0; c < in.channels(); ++c) {
        int expected = fill[c];
        if (inside || border == Border::reflect)
          expected = in.at(mirrored(row, height), mirrored(column, width), c);
        if (!inside && border == Border::edge)
          expected = in.at(std::clamp(row, 0, height - 1), std::clamp(column, 0, width - 1), c);
        ASSERT_EQ(out.at(y, x, c), expected)
            << name_of(border) << " " << height << "x" << width << " at " << y << " " << x;
      }
    }
  }
}

TEST(Pad, AgreesWithTheDefinition) {
  const Margins all[] = {{}, {1, 2, 3, 4}, {0, 5, 0, 0}, {0, 0, 9, 0}, {12, 30, 25, 14}};
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 7}, {5, 1}, {2, 3}, {11, 13}}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image whole = testing::make_picture(height + 3, width + 2, channels);
      const Image in = whole.crop_view(2, 1, height, width);
      for (const Margins& m : all) {
        for (const Border border : {Border::constant, Border::edge, Border::reflect}) {
          for (const auto& fill : kFills) expect_definition(in, m, border, fill);
        }
      }
    }
  }
}

TEST(Pad, MarginsUpToASize) {
  const auto expect = [](const Margins& got, const Margins& expected) {
    EXPECT_EQ(got.left, expected.left);
    EXPECT_EQ(got.top, expected.top);
    EXPECT_EQ(got.right, expected.right);
    EXPECT_EQ(got.bottom, expected.bottom);
  };
  expect(kernels::margins_up_to({1, 2, 3, 4}, 10, 20, 0, 0), {1, 2, 3, 4});
  expect(kernels::margins_up_to({1, 2, 3, 4}, 10, 20, 16, 24), {1, 2, 3, 4});
  expect(kernels::margins_up_to({1, 2, 3, 4}, 10, 20, 17, 26), {1, 2, 5, 5});
  expect(kernels::margins_up_to({}, 10, 20, 5, 224), {0, 0, 204, 0});
}

TEST(Pad, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(4, 4, 3);
  Image out;
  const auto error_of = [&](const Image& picture, const Margins& margins) -> std::string {
    try {
      kernels::pad(picture, margins, Border::constant, 0, out);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(in, {1, 1, -1, 0}), "pad_image: right must lie between 0 and 65535, not -1");
  EXPECT_EQ(error_of(in, {0, 65536, 0, 0}),
            "pad_image: top must lie between 0 and 65535, not 65536");
  EXPECT_NE(error_of(in, {65535, 0, 0, 0}).find("4 x 65539 (height x width)"), std::string::npos);
  EXPECT_NE(error_of(Image(), {}), "");
  EXPECT_THROW(kernels::margins_up_to({-2147483647, 0, 0, 0}, 1, 1, 1, 65535),
               std::invalid_argument);
}

}  // namespace pad_test
}  // namespace sluice
