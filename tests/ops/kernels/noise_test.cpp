// Noise is distributed as it says: chi-square tests with fixed seeds.
#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/normal_quantiles.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_noise_test {

using kernels::gaussian_noise;
using kernels::salt_and_pepper_noise;
using kernels::shot_noise;
using testing::constant_picture;
using testing::make_picture;

constexpr int kHeight = 200, kWidth = 301;

std::array<int, 256> counts_of(const Image& image) {
  std::array<int, 256> counts{};
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t i = 0; i < image.row_bytes(); ++i) ++counts.at(image.row(y)[i]);
  }
  return counts;
}

// Levels whose expected count is small are taken together. Five standard deviations are allowed.
void expect_distribution(const Image& image, const std::function<double(int)>& probability_of) {
  const std::array<int, 256> counts = counts_of(image);
  double total = 0, chi = 0, expected = 0, found = 0, sum = 0;
  int groups = 0;
  for (const int count : counts) total += count;
  for (int level = 0; level < 256; ++level) {
    const double probability = probability_of(level);
    sum += probability;
    expected += probability * total;
    found += counts.at(static_cast<std::size_t>(level));
    if (expected < 20) continue;
    chi += (found - expected) * (found - expected) / expected;
    ++groups;
    expected = found = 0;
  }
  ASSERT_NEAR(sum, 1, 1e-6);
  ASSERT_GT(groups, 1);
  EXPECT_LT(chi, groups - 1 + 5 * std::sqrt(2.0 * (groups - 1)));
  EXPECT_LT(found, 60);  // of the rest
}

double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

TEST(NormalQuantiles, AreThoseOfTheNormalDistribution) {
  const auto& table = kernels::normal_quantiles();
  for (std::size_t i = 0; i < table.size(); ++i) {
    ASSERT_NEAR(normal_below(table[i]), (static_cast<double>(i) + 0.5) / kernels::kQuantiles, 1e-7);
    if (i > 0) {
      ASSERT_GT(table[i], table[i - 1]);
    }
  }
}

TEST(GaussianNoise, IsNormal) {
  const struct {
    int level;
    float mean, stddev;
  } cases[] = {{128, 0, 10}, {100, 20.25f, 3}, {5, 0, 40}, {250, 1, 0.7f}};
  for (const auto& c : cases) {
    Random random({.seed = 11});
    Image out;
    gaussian_noise(random, constant_picture(kHeight, kWidth, 3, c.level), c.mean, c.stddev, out);
    const auto below = [&](double x) { return normal_below((x - c.level - c.mean) / c.stddev); };
    SCOPED_TRACE(c.level);
    expect_distribution(out, [&](int level) {
      return (level == 255 ? 1.0 : below(level + 0.5)) - (level == 0 ? 0.0 : below(level - 0.5));
    });
  }
}

// Also of more levels than are drawn for at once, of rows that begin within a block of numbers, and
// of what a level is by itself.
TEST(GaussianNoise, FollowsTheDefinitionOnEveryInstructionSet) {
  const auto& quantiles = kernels::normal_quantiles();
  for (const auto& size : {std::pair{1, 1}, {5, 1}, {3, 7}, {13, 171}, {2, 2100}}) {
    const int height = size.first, width = size.second;
    for (int channels = 1; channels <= 4; ++channels) {
      const Image whole = make_picture(height + 1, width + 2, channels);
      const Image in = whole.crop_view(1, 1, height, width);
      for (const float mean : {0.f, -30.5f, 1e6f}) {
        constexpr float kDeviation = 20.3f;
        Random numbers({.seed = 8});
        std::uint32_t word = 0;
        Image expected(height, width, channels);
        for (int i = 0; i < height * width * channels; ++i) {
          word = i % 2 == 0 ? numbers.next() : word >> 16;
          const int y = i / (width * channels), at = i % (width * channels);
          const double noise = double{mean} + double{kDeviation} * double{quantiles[word & 0xffff]};
          const double level = std::floor(in.row(y)[at] + noise + 0.5);
          expected.row(y)[at] = static_cast<std::uint8_t>(std::clamp(level, 0.0, 255.0));
        }
        testing::on_every_target([&] {
          Image with_gaps, without;
          gaussian_noise(Random({.seed = 8}), in, mean, kDeviation, with_gaps);
          gaussian_noise(Random({.seed = 8}), in.clone(), mean, kDeviation, without);
          EXPECT_EQ(with_gaps, expected) << height << " x " << width << " " << channels;
          EXPECT_EQ(without, expected) << height << " x " << width << " " << channels;
        });
      }
    }
  }
}

TEST(GaussianNoise, NeighboursAndChannelsAreIndependent) {
  Random random({.seed = 12});
  Image out;
  gaussian_noise(random, constant_picture(kHeight, kWidth, 3, 128), 0, 10, out);
  const double n = kHeight * (kWidth - 1.0);
  for (const int distance : {1, 2, 3}) {
    double sum = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int i = 0; i < 3 * (kWidth - 1); i += 3)
        sum += (out.row(y)[i] - 128.0) * (out.row(y)[i + distance] - 128.0) / 100.08;
    }
    EXPECT_LT(std::abs(sum), 5 * std::sqrt(n)) << distance;
  }
}

TEST(GaussianNoise, WithoutDeviationItIsAShift) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image whole = make_picture(9, 14, channels);
    const Image in = whole.crop_view(1, 2, 7, 11);
    Random random({.seed = 1});
    Image out;
    gaussian_noise(random, in, -40, 0, out);
    for (int y = 0; y < 7; ++y) {
      for (int i = 0; i < 11 * channels; ++i)
        ASSERT_EQ(out.row(y)[i], std::max(0, in.row(y)[i] - 40));
    }
  }
}

TEST(SaltAndPepper, ChangesAsManyPixelsAsItSays) {
  for (const bool per_channel : {false, true}) {
    const Image in = constant_picture(kHeight, kWidth, 3, 77);
    Random random({.seed = 21});
    Image out;
    salt_and_pepper_noise(random, in, {0.2f, 0.25f, per_channel}, out);
    expect_distribution(out, [&](int level) {
      return level == 0 ? 0.15 : level == 255 ? 0.05 : level == 77 ? 0.8 : 0.0;
    });
    int mixed = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x)
        mixed += out.at(y, x, 0) != out.at(y, x, 1) || out.at(y, x, 0) != out.at(y, x, 2);
    }
    EXPECT_EQ(mixed > 0, per_channel);
  }
  const Image in = make_picture(8, 9, 4);
  Random random({.seed = 21});
  Image out;
  salt_and_pepper_noise(random, in, {0, 0.5f, false}, out);
  EXPECT_EQ(out, in);
  salt_and_pepper_noise(random, in, {1, 1, true}, out);
  EXPECT_EQ(out, constant_picture(8, 9, 4, 255));
  salt_and_pepper_noise(random, in, {1, 0, false}, out);
  EXPECT_EQ(out, constant_picture(8, 9, 4, 0));
}

TEST(ShotNoise, IsAPoissonProcess) {
  const struct {
    int level;
    float factor;
  } cases[] = {{3, 1}, {40, 1}, {100, 1}, {150, 1.25f}, {200, 10}, {250, 100}, {63, 1}, {64, 1}};
  for (const auto& c : cases) {
    Random random({.seed = 31});
    Image out;
    shot_noise(random, constant_picture(kHeight, kWidth, 1, c.level), c.factor, out);
    const double mean = double(c.level) / c.factor;
    std::vector<double> of_level(256);
    for (int count = 0; count < 2000; ++count) {
      const double p = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1.0));
      of_level.at(testing::to_byte(count * double{c.factor})) += p;
    }
    SCOPED_TRACE(c.level);
    expect_distribution(out,
                        [&](int level) { return of_level.at(static_cast<std::size_t>(level)); });
  }
}

TEST(ShotNoise, OfNothingOrWithoutAFactorIsNone) {
  const Image in = make_picture(8, 9, 3);
  Random random({.seed = 1});
  Image out;
  shot_noise(random, in, 0, out);
  EXPECT_EQ(out, in);
  shot_noise(random, in, 1e-40f, out);
  EXPECT_EQ(out, in);
  const Image black = constant_picture(8, 9, 3, 0);
  shot_noise(random, black, 7, out);
  EXPECT_EQ(out, black);
}

TEST(Noise, RefusesWhatCannotBe) {
  const Image in = make_picture(4, 4, 3);
  Random random({.seed = 1});
  Image out;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {nan, -1.f, 2e6f}) {
    EXPECT_THROW(gaussian_noise(random, in, 0, bad, out), std::invalid_argument);
    EXPECT_THROW(shot_noise(random, in, bad, out), std::invalid_argument);
    EXPECT_THROW(salt_and_pepper_noise(random, in, {bad, 0.5f, false}, out), std::invalid_argument);
    EXPECT_THROW(salt_and_pepper_noise(random, in, {0.5f, bad, false}, out), std::invalid_argument);
  }
  EXPECT_THROW(gaussian_noise(random, in, nan, 1, out), std::invalid_argument);
  EXPECT_THROW(gaussian_noise(random, Image(), 0, 1, out), std::invalid_argument);
  EXPECT_THROW(shot_noise(random, Image(2, 2, 5), 1, out), std::invalid_argument);
  EXPECT_THROW(salt_and_pepper_noise(random, Image(), {}, out), std::invalid_argument);
}

}  // namespace kernels_noise_test
}  // namespace sluice
