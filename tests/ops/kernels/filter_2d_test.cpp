#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/filter_2d.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_filter_2d_test {

using kernels::filter_2d;
using kernels::FilterWeights;

FilterWeights filter_of(const testing::Weights& weights) {
  FilterWeights filter;
  filter.rows = static_cast<int>(weights.size());
  filter.columns = static_cast<int>(weights[0].size());
  std::size_t next = 0;
  for (const auto& row : weights)
    for (const double weight : row) filter.weights.at(next++) = static_cast<float>(weight);
  return filter;
}

// Weights that are all different, so that none stands in for another.
testing::Weights uneven(std::size_t rows, std::size_t columns) {
  testing::Weights weights(rows, std::vector<double>(columns));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c)
      weights[r][c] = static_cast<double>(r * columns + c + 1) * (c % 2 == 0 ? 0.0625 : -0.03125);
  }
  return weights;
}

TEST(Filter2d, IsTheWeightedSum) {
  const testing::Weights all[] = {{{1}},
                                  {{0, 0, 0}, {0, 0, 1}, {0, 0, 0}},
                                  {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}},
                                  uneven(1, 7),
                                  uneven(7, 1),
                                  uneven(3, 5),
                                  uneven(5, 3),
                                  uneven(7, 7)};
  for (const testing::Weights& weights : all) {
    SCOPED_TRACE(weights.size() * 10 + weights[0].size());
    for (const auto& [height, width] : testing::filter_sizes()) {
      for (int channels = 1; channels <= 4; ++channels) {
        const Image whole = testing::make_picture(height + 1, width + 1, channels);
        const Image in = whole.crop_view(1, 1, height, width);
        Image out;
        filter_2d(in, filter_of(weights), out);
        ASSERT_EQ(out.height(), height);
        ASSERT_EQ(out.width(), width);
        for (int y = 0; y < height; ++y) {
          for (int i = 0; i < width * channels; ++i) {
            const double sum = testing::weighted_sum(in, y, i / channels, i % channels, weights);
            ASSERT_LE(std::abs(out.row(y)[i] - std::clamp(sum, 0.0, 255.0)), 0.501)
                << y << " " << i;
          }
        }
      }
    }
  }
}

TEST(Filter2d, SameOnEveryInstructionSet) {
  FilterWeights filter = filter_of(uneven(5, 7));
  for (float& weight : filter.weights) weight *= 0.37f;  // so that products and sums are rounded
  for (const int width : {1, 2, 5, 8, 11, 16, 31, 32, 33, 64, 67}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = testing::make_picture(9, width, channels);
      Image expected;
      filter_2d(in, filter, expected);
      testing::on_every_target([&] {
        Image out;
        filter_2d(in, filter, out);
        EXPECT_EQ(out, expected);
      });
    }
  }
}

// A window of one place is a picture that is moved; and what a call leaves behind is not seen.
TEST(Filter2d, MovesByOne) {
  const Image in = testing::make_picture(6, 9, 3);
  Image large, out;
  filter_2d(testing::make_picture(20, 40, 4), filter_of(uneven(7, 7)), large);
  filter_2d(in, filter_of({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}), out);
  for (int y = 0; y < 6; ++y) {
    for (int x = 1; x < 9; ++x) EXPECT_EQ(out.at(y, x, 1), in.at(y, x - 1, 1));
    EXPECT_EQ(out.at(y, 0, 1), in.at(y, 1, 1));
  }
}

TEST(Filter2d, NoWeightIsBlack) {
  for (const int width : {1, 40}) {
    const Image in = testing::make_picture(3, width, 3);
    testing::on_every_target([&] {
      Image out;
      filter_2d(in, {}, out);
      EXPECT_EQ(out, testing::constant_picture(3, width, 3, 0));
    });
  }
}

TEST(Filter2d, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(4, 4, 3);
  Image out;
  EXPECT_THROW(filter_2d(Image(), {}, out), std::invalid_argument);
  EXPECT_THROW(filter_2d(Image(2, 2, 5), {}, out), std::invalid_argument);
  for (const int side : {-1, 0, 2, 8, 9}) {
    EXPECT_THROW(filter_2d(in, {.rows = side}, out), std::invalid_argument);
    EXPECT_THROW(filter_2d(in, {.columns = side}, out), std::invalid_argument);
  }
  for (const float weight : {2e6f, -2e6f, std::numeric_limits<float>::quiet_NaN()}) {
    FilterWeights filter;
    filter.weights[3] = weight;
    EXPECT_THROW(filter_2d(in, filter, out), std::invalid_argument);
  }
}

}  // namespace kernels_filter_2d_test
}  // namespace sluice
