// Random changes of an image, JPEG artifacts, and random numbers in bulk. Chi-square tests with
// fixed seeds check the distributions.
#include "tests/every_target.h"
#include "tests/ops/kernels/image_kernel.h"
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/random_words.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace noise_test {

using kernels::jpeg_distortion;
using kernels::SaltAndPepper;

constexpr int kHeight = 200, kWidth = 301;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Levels unchanged(const Image& in) { return Levels(in); }
Random seeded() { return Random({.seed = 8}); }

ImageKernel gaussian_noise() {
  ImageKernel kernel("gaussian_noise");
  // The wide sizes need more numbers than the kernel draws at once. Their rows begin within a block
  // of numbers.
  kernel.sizes = {{1, 1}, {5, 1}, {3, 7}, {13, 171}, {2, 2100}, {7, 11}};
  const auto with = [](float mean, float stddev) {
    return [=](const Image& in, Image& out) {
      kernels::gaussian_noise(seeded(), in, mean, stddev, out);
    };
  };
  const struct {
    float mean, stddev;
  } cases[] = {{0, 20.3f}, {-30.5f, 20.3f}, {1e6f, 20.3f}, {-40, 0}};
  for (const auto& c : cases) {
    kernel.gives("mean " + std::to_string(c.mean) + ", stddev " + std::to_string(c.stddev),
                 with(c.mean, c.stddev), [=](const Image& in) {
                   const auto& quantiles = kernels::normal_quantiles();
                   Random numbers = seeded();
                   std::uint32_t word = 0;
                   bool upper = true;
                   return levels_of(in, [&](int level) {
                     upper = !upper;
                     word = upper ? word >> 16 : numbers.next();
                     return to_byte(level + double{c.mean} +
                                    double{c.stddev} * double{quantiles[word & 0xffff]});
                   });
                 });
  }
  kernel.refuses(with(0, kNan), "gaussian_noise: stddev is nan; a finite number is needed");
  kernel.refuses(with(0, -1), "gaussian_noise: stddev is -1; it must lie between 0 and 1000000");
  kernel.refuses(with(0, 2e6f),
                 "gaussian_noise: stddev is 2000000; it must lie between 0 and 1000000");
  kernel.refuses(with(kNan, 1), "gaussian_noise: mean is nan; a finite number is needed");
  return kernel;
}

ImageKernel salt_and_pepper_noise() {
  ImageKernel kernel("salt_and_pepper_noise");
  kernel.sizes = {{1, 1}, {5, 1}, {8, 9}, {3, 31}};
  kernel.wide_sizes = {{9, 61}};
  const auto with = [](const SaltAndPepper& params) {
    return [=](const Image& in, Image& out) {
      kernels::salt_and_pepper_noise(seeded(), in, params, out);
    };
  };
  for (const SaltAndPepper& params : {SaltAndPepper{0.2f, 0.25f, false},
                                      {0.2f, 0.25f, true},
                                      {0, 0.5f, false},
                                      {1, 1, true},
                                      {1, 0, false}}) {
    kernel.gives(
        "probability " + std::to_string(params.probability) + ", salt_share " +
            std::to_string(params.salt_share) + (params.per_channel ? ", per channel" : ""),
        with(params), [=](const Image& in) {
          Random numbers = seeded();
          double number = 0;  // uniform in [0, 1)
          return levels_of(in, [&](int level, int channel) {
            if (params.per_channel || channel == 0) number = numbers.next() * 0x1p-32;
            if (number >= double{params.probability}) return level;
            return number < double{params.probability} * double{params.salt_share} ? 255 : 0;
          });
        });
  }
  const std::string op = "salt_and_pepper_noise: ";
  const struct {
    float wrong;
    std::string says;
  } cases[] = {{kNan, " is nan; a finite number is needed"},
               {-1, " is -1; it must lie between 0 and 1"},
               {2e6f, " is 2000000; it must lie between 0 and 1"}};
  for (const auto& c : cases) {
    kernel.refuses(with({c.wrong, 0.5f, false}), op + "probability" + c.says);
    kernel.refuses(with({0.5f, c.wrong, false}), op + "salt_share" + c.says);
  }
  return kernel;
}

// The count of a Poisson process for 32 random bits, without tables.
double poisson_count(std::uint32_t bits, double mean) {
  if (mean >= kernels::kLargePoissonMean) {  // Cornish and Fisher's expansion
    const double z = kernels::normal_quantiles()[bits >> 16];
    return std::floor(mean + std::sqrt(mean) * z + (z * z - 1) / 6 + 0.5);
  }
  double count = 0, probability = std::exp(-mean), sum = probability;
  while (bits * 0x1p-32 >= sum && count < 1000) {
    ++count;
    probability *= mean / count;
    sum += probability;
  }
  return count;
}

ImageKernel shot_noise() {
  ImageKernel kernel("shot_noise");
  kernel.every_level = true;
  kernel.sizes = {{1, 1}, {5, 1}, {8, 9}, {3, 31}};
  kernel.wide_sizes = {{9, 61}};
  const auto with = [](float factor) {
    return [=](const Image& in, Image& out) { kernels::shot_noise(seeded(), in, factor, out); };
  };
  for (const float factor : {0.f, 1e-40f})
    kernel.gives("factor " + std::to_string(factor), with(factor), unchanged);
  for (const float factor : {1.f, 10.f}) {
    kernel.gives(
        "factor " + std::to_string(factor), with(factor), [f = double{factor}](const Image& in) {
          Random numbers = seeded();
          return levels_of(
              in, [&](int level) { return to_byte(f * poisson_count(numbers.next(), level / f)); });
        });
  }
  kernel.refuses(with(kNan), "shot_noise: factor is nan; a finite number is needed");
  kernel.refuses(with(-1), "shot_noise: factor is -1; it must lie between 0 and 100");
  kernel.refuses(with(2e6f), "shot_noise: factor is 2000000; it must lie between 0 and 100");
  return kernel;
}

// A color as hue, lightness and saturation. Hues are in sixths of the circle, the others 0 to 1.
struct Hls {
  double hue, lightness, saturation;
};
Hls hls_of(double r, double g, double b) {
  const double highest = std::max({r, g, b}), lowest = std::min({r, g, b});
  const double sum = (highest + lowest) / 255, chroma = (highest - lowest) / 255;
  if (chroma == 0) return {0, sum / 2, 0};
  const double hue = highest == r   ? (g - b) / 255 / chroma
                     : highest == g ? 2 + (b - r) / 255 / chroma
                                    : 4 + (r - g) / 255 / chroma;
  return {hue, sum / 2, chroma / (1 - std::abs(sum - 1))};
}
// Returns the value of channel c, 0 to 255.
double level_of(const Hls& color, int c) {
  const double chroma = (1 - std::abs(2 * color.lightness - 1)) * color.saturation;
  const double hue = color.hue + 6 - 2 * c;  // that of this channel becomes 0
  const double distance = std::abs(std::remainder(hue, 6));
  return 255 * (color.lightness + chroma * (std::clamp(2 - distance, 0.0, 1.0) - 0.5));
}

ImageKernel iso_noise() {
  ImageKernel kernel("iso_noise");
  kernel.every_level = true;
  kernel.channels = {1, 3, 4};
  kernel.sizes = {{1, 1}, {5, 1}, {8, 9}, {3, 31}};
  kernel.wide_sizes = {{9, 61}};
  const auto with = [](float color_shift, float intensity) {
    return [=](const Image& in, Image& out) {
      kernels::iso_noise(seeded(), in, {color_shift, intensity}, out);
    };
  };
  kernel.gives("intensity 0", with(1, 0), unchanged);
  const struct { float color_shift, intensity; } cases[] = {{0.05f, 0.5f}, {0, 0.25f}, {1, 1}};
  for (const auto& c : cases) {
    kernel.gives(
        "color_shift " + std::to_string(c.color_shift) + ", intensity " +
            std::to_string(c.intensity),
        with(c.color_shift, c.intensity),
        [shift = double{c.color_shift}, intensity = double{c.intensity}](const Image& in) {
          const auto color_at = [&](int y, int x) {
            const auto level = [&](int channel) {
              return double{1} * in.at(y, x, in.channels() == 1 ? 0 : channel);
            };
            return hls_of(level(0), level(1), level(2));
          };
          const double pixels = double{1} * in.height() * in.width();
          double mean = 0, variance = 0;
          for (int y = 0; y < in.height(); ++y) {
            for (int x = 0; x < in.width(); ++x) mean += color_at(y, x).lightness / pixels;
          }
          for (int y = 0; y < in.height(); ++y) {
            for (int x = 0; x < in.width(); ++x)
              variance += std::pow(color_at(y, x).lightness - mean, 2) / pixels;
          }
          const double of_counts = 255 * intensity * std::sqrt(variance);
          Random numbers = seeded();
          Levels out(in);
          Hls color{};
          out.fill([&](int y, int x, int channel) -> double {
            if (channel == 0) {
              color = color_at(y, x);
              const double count = poisson_count(numbers.next(), of_counts);
              color.lightness =
                  std::min(color.lightness + count / 255 * (1 - color.lightness), 1.0);
              const double z = double{kernels::normal_quantiles()[numbers.next() >> 16]};
              color.hue += 6 * shift * intensity * z;
            }
            return channel == 3 ? in.at(y, x, 3) : level_of(color, channel);
          });
          return out;
        },
        0.51);
  }
  kernel.refuses(with(-1, 1), "iso_noise: color_shift is -1; it must lie between 0 and 1");
  kernel.refuses(with(0, 11), "iso_noise: intensity is 11; it must lie between 0 and 10");
  kernel.refuses(with(0, kNan), "iso_noise: intensity is nan; a finite number is needed");
  return kernel;
}

ImageKernel jitter() {
  ImageKernel kernel("jitter");
  kernel.every_level = true;
  kernel.wide_sizes = {{9, 61}};
  const auto with = [](int window) {
    return [=](const Image& in, Image& out) {
      Random random = seeded();
      kernels::jitter(random, in, window, out);
    };
  };
  kernel.gives("window 5", with(5), [](const Image& in) {
    Random random = seeded();
    int row = 0, column = 0;
    Levels out(in);
    out.fill([&](int y, int x, int c) {
      if (c == 0) {
        row = std::clamp(y + static_cast<int>(random.below(5)) - 2, 0, in.height() - 1);
        column = std::clamp(x + static_cast<int>(random.below(5)) - 2, 0, in.width() - 1);
      }
      return in.at(row, column, c);
    });
    return out;
  });
  kernel.gives("window 1", with(1), unchanged);
  for (const int window : {-1, 0, 2, 257}) {
    kernel.refuses(with(window),
                   "jitter: window_size must be an odd number between 1 and 255, not " +
                       std::to_string(window));
  }
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(Noise, ImageKernels,
                         ::testing::Values(gaussian_noise(), salt_and_pepper_noise(), shot_noise(),
                                           iso_noise(), jitter()),
                         name_of_kernel);

std::array<int, 256> counts_of(const Image& image) {
  std::array<int, 256> counts{};
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t i = 0; i < image.row_bytes(); ++i) ++counts.at(image.row(y)[i]);
  }
  return counts;
}

// Combines neighboring values until the expected count is large enough. Allows five standard
// deviations.
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
  EXPECT_LT(found, 60);  // the rest
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
    Image out;
    kernels::gaussian_noise(Random({.seed = 11}), constant_image(kHeight, kWidth, 3, c.level),
                            c.mean, c.stddev, out);
    const auto below = [&](double x) { return normal_below((x - c.level - c.mean) / c.stddev); };
    SCOPED_TRACE(c.level);
    expect_distribution(out, [&](int level) {
      return (level == 255 ? 1.0 : below(level + 0.5)) - (level == 0 ? 0.0 : below(level - 0.5));
    });
  }
}

TEST(GaussianNoise, NeighborsAndChannelsAreIndependent) {
  Image out;
  kernels::gaussian_noise(Random({.seed = 12}), constant_image(kHeight, kWidth, 3, 128), 0, 10,
                          out);
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

TEST(SaltAndPepper, ChangesTheRequestedShareOfPixels) {
  for (const bool per_channel : {false, true}) {
    Image out;
    kernels::salt_and_pepper_noise(Random({.seed = 21}), constant_image(kHeight, kWidth, 3, 77),
                                   {0.2f, 0.25f, per_channel}, out);
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
}

TEST(ShotNoise, IsAPoissonProcess) {
  const struct {
    int level;
    float factor;
  } cases[] = {{3, 1}, {40, 1}, {100, 1}, {150, 1.25f}, {200, 10}, {250, 100}, {63, 1}, {64, 1}};
  for (const auto& c : cases) {
    Image out;
    kernels::shot_noise(Random({.seed = 31}), constant_image(kHeight, kWidth, 1, c.level), c.factor,
                        out);
    const double mean = double(c.level) / c.factor;
    std::vector<double> of_level(256);
    for (int count = 0; count < 2000; ++count) {
      const double p = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1.0));
      of_level.at(to_byte(count * double{c.factor})) += p;
    }
    SCOPED_TRACE(c.level);
    expect_distribution(out,
                        [&](int level) { return of_level.at(static_cast<std::size_t>(level)); });
  }
}

// Half of the pixels have the lightness 60 of 255, the others 100: the standard deviation is 20.
TEST(IsoNoise, AddsAPoissonNumberToTheLightness) {
  const struct {
    float intensity;
    double mean;
  } cases[] = {{0.1f, 2}, {0.5f, 10}, {4, 80}};
  for (const auto& c : cases) {
    Image in(kHeight, kWidth - 1, 1), out;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x)
        in.row(y)[x] = static_cast<std::uint8_t>(x % 2 == 0 ? 60 : 100);
    }
    kernels::iso_noise(Random({.seed = 5}), in, {0.05f, c.intensity}, out);
    std::vector<double> of_level(256);
    for (const int level : {60, 100}) {
      for (int count = 0; count <= 255; ++count) {
        const double p = std::exp(count * std::log(c.mean) - c.mean - std::lgamma(count + 1.0));
        of_level.at(to_byte(level + count / 255.0 * (255 - level))) += p / 2;
      }
    }
    SCOPED_TRACE(c.intensity);
    expect_distribution(out,
                        [&](int level) { return of_level.at(static_cast<std::size_t>(level)); });
  }
}

TEST(IsoNoise, MovesTheHueAndKeepsLightnessAndSaturation) {
  Image in(kHeight, kWidth, 3), out;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      std::uint8_t* const pixel = in.row(y) + 3 * x;
      pixel[0] = 30;
      pixel[1] = 220;
      pixel[2] = 30;
    }
  }
  kernels::iso_noise(Random({.seed = 5}), in, {0.02f, 0.5f}, out);
  double sum = 0, squares_of_hues = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const Hls color = hls_of(out.at(y, x, 0), out.at(y, x, 1), out.at(y, x, 2));
      ASSERT_NEAR(color.lightness, 125 / 255.0, 1e-9);
      ASSERT_NEAR(color.saturation, 190 / 250.0, 1e-9);
      sum += color.hue - 2;
      squares_of_hues += std::pow(color.hue - 2, 2);
    }
  }
  const double pixels = kHeight * kWidth;
  EXPECT_NEAR(sum / pixels, 0, 0.002);
  EXPECT_NEAR(std::sqrt(squares_of_hues / pixels), 6 * 0.02 * 0.5, 0.001);
}

TEST(ShotNoise, BlackStaysBlack) {
  const Image black = constant_image(8, 9, 3, 0);
  Image out;
  kernels::shot_noise(Random({.seed = 1}), black, 7, out);
  EXPECT_EQ(out, black);
}

double squares(const Image& a, const Image& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (std::size_t i = 0; i < a.row_bytes(); ++i) sum += std::pow(a.row(y)[i] - b.row(y)[i], 2);
  }
  return sum;
}

// Waves of light and color. No block of a JPEG file holds them exactly.
Image waves(int height, int width, int channels) {
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * channels; ++i) {
      const int x = i / channels;
      image.row(y)[i] = static_cast<std::uint8_t>(127.5 + 80 * std::sin(0.21 * x) *
                                                              std::cos(0.17 * y + i % channels));
    }
  }
  return image;
}

// The oracles compare with Pillow.
TEST(JpegDistortion, LosesMoreAtLowerQuality) {
  for (const int channels : {1, 3}) {
    const Image in = waves(67, 93, channels);
    double before = -1;
    for (const int quality : {100, 90, 50, 20, 5, 1}) {
      Image out;
      jpeg_distortion(in, quality, out);
      ASSERT_EQ(out.channels(), channels);
      ASSERT_EQ(out.height(), 67);
      ASSERT_EQ(out.width(), 93);
      const double lost = squares(in, out);
      EXPECT_GT(lost, before) << quality;
      before = lost;
      if (quality == 100 && channels == 1) {
        EXPECT_LE(largest_difference(in, out), 2);
      }
    }
  }
}

TEST(JpegDistortion, OneColorStays) {
  on_small_images({1, 3}, [](const Image& in) {
    const Image flat = constant_image(in.height(), in.width(), in.channels(), 128);
    Image out;
    jpeg_distortion(flat, 1, out);
    EXPECT_EQ(out, flat);
    jpeg_distortion(in, 30, out);
    EXPECT_EQ(out.width(), in.width());
  });
}

TEST(JpegDistortion, RefusesWrongImagesAndQualities) {
  const Image in = waves(3, 3, 3), four = waves(2, 2, 4), five(2, 2, 5), wide(1, 65501, 1), none;
  const struct {
    const Image& in;
    int quality;
    std::string says;
  } cases[] = {{four, 50, "the image has 4 channels; 1 or 3 are needed"},
               {five, 50, "the image has 5 channels; 1 or 3 are needed"},
               {in, 0, "quality must lie between 1 and 100, not 0"},
               {in, 101, "quality must lie between 1 and 100, not 101"},
               {wide, 50, "the image is 1 x 65501 (height x width); at most 65500 are possible"},
               {none, 50, "the image is empty"}};
  for (const auto& c : cases) {
    Image out;
    EXPECT_EQ(refusal([&] { jpeg_distortion(c.in, c.quality, out); }),
              "jpeg_distortion: " + c.says);
  }
}

}  // namespace noise_test
}  // namespace sluice::testing

namespace sluice {
namespace random_words_test {

// The last ones count round 2^32.
TEST(RandomWords, AreTheBlocksOnEveryInstructionSet) {
  const RandomWords words = Random({.seed = 3, .epoch = 5, .sample = 7, .generator = 9}).words();
  testing::on_every_target([&] {
    for (const std::uint32_t first : {0u, 1u, 12345u, 0xFFFFFFFDu}) {
      for (const std::size_t count : {0, 1, 2, 7, 8, 9, 33}) {
        std::vector<std::uint32_t> all(4 * count + kernels::kRandomSlack);
        kernels::random_blocks(words, first, count, all.data());
        for (std::size_t i = 0; i < 4 * count; ++i) {
          ASSERT_EQ(all[i], words.block(first + static_cast<std::uint32_t>(i / 4))[i % 4])
              << first << " " << i;
        }
      }
    }
  });
}

TEST(RandomWords, AStreamIsWhatARandomDraws) {
  Random random({.seed = 11, .sample = 4}), units({.seed = 11, .sample = 4});
  kernels::RandomStream stream(random.words()), unit_stream(random.words());
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(stream.next(), random.next()) << i;
    ASSERT_EQ(unit_stream.unit(), units.unit()) << i;
  }
}

}  // namespace random_words_test
}  // namespace sluice
