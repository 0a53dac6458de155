#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace colour_matrix_test {

using kernels::apply_colour_matrix;
using kernels::ColourMatrix;
using testing::make_picture;

constexpr ColourMatrix kMixed{{{0.9, 0.4, -0.3, 0}, {-0.2, 1.3, 0.1, 0}, {0.7, -1.7, 2.1, 0}}};
constexpr ColourMatrix kMoved{{{0.5, 0, 0, 0.5}, {0, 0.5, 0.01, -3.25}, {-1, 0, 0, 255}}};
constexpr ColourMatrix kOneMoved{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0.49999997}}};
constexpr ColourMatrix kHuge{{{1e12, 0, 0, -1e11}, {-1e12, 1e12, 0, 0}, {1e8, 1e8, -1e8, -1e8}}};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInfinity = std::numeric_limits<double>::infinity();
constexpr ColourMatrix kNoNumbers{
    {{kNan, 0, 0, 0}, {kInfinity, -kInfinity, 1, 0}, {0, 1, 0, kInfinity}}};

// The plain instructions are among those that are compared.
TEST(ColourMatrix, SameBytesOnEveryInstructionSet) {
  for (const ColourMatrix& matrix : {kMixed, kMoved, kOneMoved, kHuge, kNoNumbers}) {
    for (const int channels : {3, 4}) {
      for (int width = 1; width <= 70; ++width) {
        const Image whole = make_picture(3, width + 2, channels);
        const Image in = whole.crop_view(0, 1, 3, width);
        Image first;
        apply_colour_matrix(in, matrix, first);
        testing::on_every_target([&] {
          Image with_gaps, without;
          apply_colour_matrix(in, matrix, with_gaps);
          apply_colour_matrix(in.clone(), matrix, without);
          EXPECT_EQ(with_gaps, first) << width;
          EXPECT_EQ(without, first) << width;
        });
      }
    }
  }
}

TEST(ColourMatrix, FollowsTheFormula) {
  for (const ColourMatrix& matrix : {kMixed, kMoved, kOneMoved}) {
    const Image in = make_picture(40, 61, 3);
    Image out;
    apply_colour_matrix(in, matrix, out);
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        for (int c = 0; c < 3; ++c) {
          const auto& row = matrix[static_cast<std::size_t>(c)];
          double sum = row[3];
          for (int k = 0; k < 3; ++k) sum += row[static_cast<std::size_t>(k)] * in.at(y, x, k);
          constexpr double kLargest = 2.1;
          ASSERT_NEAR(out.at(y, x, c), std::clamp(sum, 0.0, 255.0),
                      0.5 + testing::kColourMatrixError * kLargest);
        }
      }
    }
  }
}

TEST(ColourMatrix, WhatIsGrayStaysGrayUnderRowsOfOneSum) {
  Image gray(1, 256, 3);
  for (int x = 0; x < 256; ++x) std::fill_n(gray.row(0) + 3 * x, 3, static_cast<std::uint8_t>(x));
  Random random({.seed = 4});
  for (int i = 0; i < 2000; ++i) {
    const double saturation = 2 * random.unit_double(), brightness = 0.5 + random.unit_double();
    const double luma[] = {0.299, 0.587, 0.114};
    ColourMatrix matrix{};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t k = 0; k < 3; ++k)
        matrix[row][k] = brightness * ((row == k ? saturation : 0) + (1 - saturation) * luma[k]);
      matrix[row][3] = 10 * brightness;
    }
    Image out;
    apply_colour_matrix(gray, matrix, out);
    for (int x = 0; x < 256; ++x) {
      ASSERT_EQ(out.at(0, x, 0), out.at(0, x, 1)) << saturation << " " << brightness << " " << x;
      ASSERT_EQ(out.at(0, x, 0), out.at(0, x, 2)) << saturation << " " << brightness << " " << x;
    }
  }
}

TEST(ColourMatrix, RoundsHalvesUpAndCutsOff) {
  const struct {
    ColourMatrix matrix;
    std::uint8_t expected[3];
  } cases[] = {
      {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, {1, 100, 255}},
      {{{{0.5, 0, 0, 0}, {0, 0.00501, 0, 0}, {0, 0, 0.5, 0}}}, {1, 1, 128}},
      {{{{0.49, 0, 0, 0}, {0, 0.0049, 0, 0}, {0, 0, 0.4999, 0}}}, {0, 0, 127}},
      {{{{0, 0, 0, -1}, {0, 0, 0, 255.5}, {0, 0, 0, 254.5}}}, {0, 255, 255}},
      {{{{-1e30, 0, 0, 0}, {0, 1e30, 0, 0}, {0, 0, 1, -255}}}, {0, 255, 0}},
      {{{{0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}}}, {100, 255, 1}},
  };
  for (const auto& [matrix, expected] : cases) {
    testing::on_every_target([&, &matrix = matrix, &expected = expected] {
      for (const int channels : {3, 4}) {
        Image in(1, 21, channels), out;
        for (int x = 0; x < in.width(); ++x) {
          const std::uint8_t pixel[] = {1, 100, 255, static_cast<std::uint8_t>(x)};
          std::copy_n(pixel, channels, in.row(0) + x * channels);
        }
        apply_colour_matrix(in, matrix, out);
        for (int x = 0; x < in.width(); ++x) {
          for (int c = 0; c < 3; ++c) EXPECT_EQ(out.at(0, x, c), expected[c]) << x << " " << c;
          if (channels == 4) {
            EXPECT_EQ(out.at(0, x, 3), x);
          }
        }
      }
    });
  }
}

}  // namespace colour_matrix_test
}  // namespace sluice
