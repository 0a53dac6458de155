// Against shifts that are blurred in two dimensions at once.
#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/elastic.h>

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace elastic_test {

using testing::expect_levels;
using testing::make_picture;
using testing::Place;
using testing::refusal;

// The Gaussian in two dimensions at once, in double precision.
std::vector<double> blurred(const std::vector<double>& in, int height, int width, double sigma) {
  const int radius = (static_cast<int>(8 * sigma + 1) | 1) / 2;
  double norm = 0;
  for (int i = -radius; i <= radius; ++i) norm += std::exp(-i * i / (2 * sigma * sigma));
  std::vector<double> out;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int i = -radius; i <= radius; ++i) {
        for (int k = -radius; k <= radius; ++k) {
          const int row = testing::folded(y + i, height), column = testing::folded(x + k, width);
          const int place = row * width + column;
          sum += std::exp(-(i * i + k * k) / (2 * sigma * sigma)) *
                 in[static_cast<std::size_t>(place)];
        }
      }
      out.push_back(sum / (norm * norm));
    }
  }
  return out;
}

TEST(Elastic, AgreesWithTheDefinition) {
  const kernels::WarpOptions how{Interpolation::bilinear, Border::edge};
  for (const auto& size : {std::pair{1, 1}, {1, 7}, {5, 1}, {13, 11}, {3, 150}}) {
    const auto [height, width] = size;
    const Image in = make_picture(height, width, 3);
    const double sigma = 1.5;
    Random random({.seed = 9}), again({.seed = 9});
    Image out;
    kernels::elastic(random, in, {40, 1.5f}, how, out);
    const auto draw = [&again, count = height * width] {
      std::vector<double> numbers;
      for (int i = 0; i < count; ++i)
        numbers.push_back(2.0 * static_cast<double>(again.unit()) - 1);
      return numbers;
    };
    const std::vector<double> dx = blurred(draw(), height, width, sigma);
    const std::vector<double> dy = blurred(draw(), height, width, sigma);
    expect_levels(in, how, out, [&](double x, double y) {
      const int place = static_cast<int>(y) * in.width() + static_cast<int>(x);
      const auto i = static_cast<std::size_t>(place);
      return Place{x + 20 * dx[i], y + 20 * dy[i]};
    });
  }
}

TEST(Elastic, ShiftsAreTheSameOnEveryInstructionSet) {
  for (const int width : {1, 5, 31, 64, 150}) {
    std::vector<float> drawn(static_cast<std::size_t>(4 * width));
    Random random({.seed = 3});
    for (float& number : drawn) number = random.unit() * 2 - 1;
    std::vector<std::vector<float>> blurred;
    testing::on_every_target([&] {
      blurred.push_back(drawn);
      kernels::blur_shifts(blurred.back(), 4, width, 2.5f);
      EXPECT_EQ(blurred.back(), blurred.front()) << width;
    });
  }
}

TEST(Elastic, NothingMovesWithoutAlphaAndWrongNumbersAreRefused) {
  const Image in = make_picture(9, 12, 4);
  Random random({.seed = 1});
  Image out;
  kernels::elastic(random, in, {0, 0}, {Interpolation::bicubic}, out);
  EXPECT_EQ(out, in);
  EXPECT_EQ(refusal([&] {
              kernels::elastic(random, in, {-1, 2}, {}, out);
            }),
            "elastic: alpha is -1; it must lie between 0 and 100000");
  EXPECT_EQ(refusal([&] {
              kernels::elastic(random, in, {1, 65}, {}, out);
            }),
            "elastic: sigma is 65; it must lie between 0 and 64");
  EXPECT_NE(refusal([&] { kernels::elastic(random, Image(), {}, {}, out); }), "");
}

}  // namespace elastic_test
}  // namespace sluice
