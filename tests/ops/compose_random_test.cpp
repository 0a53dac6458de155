// Random sequences of color operators, with numbers that differ from sample to sample. Composed,
// their pixels equal those of plain C++, which computes the sequence in double precision and rounds
// once. They are as near to those of single steps as the chapter says.
//
//   SLUICE_RANDOM_PROGRAMS=100000   the number of sequences to try instead of 60
//   SLUICE_RANDOM_SEED=5            the first seed; a failure names its seed
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace compose_random_test {

constexpr int kImages = 5;
using Color = std::array<double, 3>;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// One operator, with a number that follows from the sample's.
struct Change {
  int what = 0;
  float number = 0;
  float of(std::int64_t sample) const { return number + 0.05f * static_cast<float>(sample); }
};

Value<Image> add(Graph& g, const Change& change, Value<Image> image, Value<std::int64_t> sample) {
  auto number = g.map(
      "number", [change](std::int64_t i) { return change.of(i); }, sample);
  switch (change.what) {
    case 0:
      return saturation(image, number);
    case 1:
      return color_twist(image, {.brightness = number, .contrast = 0.8f});
    case 2:
      return brightness_contrast(image, {.brightness = 0.9f, .contrast = number});
    case 3:
      return invert(image);
    case 4:
      return permute_channels(image, {.first = 1, .second = 2, .third = 0});
    default:
      return grayscale(image, {.channels = 3});
  }
}

Color plain(const Change& change, std::int64_t sample, const Color& in) {
  const double number = static_cast<double>(change.of(sample));
  const double luma = (19595 * in[0] + 38470 * in[1] + 7471 * in[2]) / 65536;
  Color out = in;
  for (std::size_t c = 0; c < 3; ++c) {
    switch (change.what) {
      case 0:
        out[c] = number * in[c] + (1 - number) * luma;
        break;
      case 1:
        out[c] = number * (0.8 * (in[c] - 128) + 128);
        break;
      case 2:
        out[c] = 0.9 * (number * (in[c] - 128) + 128);
        break;
      case 3:
        out[c] = 255 - in[c];
        break;
      case 4:
        out[c] = in[(c + 1) % 3];
        break;
      default:
        out[c] = luma;
    }
  }
  return out;
}
// Returns how far apart pixel values can become that differed by one.
double gain(const Change& change, std::int64_t sample) {
  const double number = static_cast<double>(change.of(sample));
  switch (change.what) {
    case 0:
      return number + std::abs(1 - number);
    case 1:
      return 0.8 * number;
    case 2:
      return 0.9 * number;
    default:
      return 1;
  }
}

Image image_of(std::int64_t i) {
  return draw_image(21 + static_cast<int>(i) * 4, 33, 3, static_cast<std::uint64_t>(i));
}

std::vector<Image> run(const std::vector<Change>& row, bool compose, std::string& plan) {
  auto pipeline = make_pipeline({.batch_size = 3, .threads = 2, .compose = compose}, [&](Graph& g) {
    auto sample = g.source(kImages, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto image = g.map("image", image_of, sample);
    for (const Change& change : row) image = add(g, change, image, sample);
    return image;
  });
  plan = to_string(pipeline.plan());
  std::vector<Image> all;
  for (const auto& [images] : pipeline.epoch()) {
    for (const Image& image : images) all.push_back(image.clone());
  }
  return all;
}

void check(const std::vector<Change>& row) {
  std::string plan, plain_plan;
  const auto composed = run(row, true, plan), steps = run(row, false, plain_plan);
  const bool light = std::all_of(row.begin(), row.end(), [](const Change& change) {
    return change.what == 2 || change.what == 3;
  });
  EXPECT_EQ(plan.find("composed of") != std::string::npos, !light && row.size() > 1) << plan;
  EXPECT_EQ(plain_plan.find("composed of"), std::string::npos);
  ASSERT_EQ(composed.size(), static_cast<std::size_t>(kImages));
  ASSERT_EQ(steps.size(), composed.size());
  for (std::int64_t i = 0; i < kImages; ++i) {
    const Image in = image_of(i);
    const Image &one = composed[static_cast<std::size_t>(i)],
                &other = steps[static_cast<std::size_t>(i)];
    double rounding = 0;
    for (const Change& change : row) rounding = gain(change, i) * rounding + 0.5;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        Color color{static_cast<double>(in.at(y, x, 0)), static_cast<double>(in.at(y, x, 1)),
                    static_cast<double>(in.at(y, x, 2))};
        bool cut_off = false;
        for (const Change& change : row) {
          color = plain(change, i, color);
          for (const double level : color)
            cut_off = cut_off || level < 0.5 + rounding || level > 254.5 - rounding;
        }
        for (std::size_t c = 0; c < 3; ++c) {
          const double expected = std::clamp(color[c], 0.0, 255.0);
          const int level = one.at(y, x, static_cast<int>(c));
          if (!light) {
            ASSERT_LE(std::abs(level - expected), 0.5 + 1e-2) << y << " " << x << " " << c;
          }
          if (!cut_off) {
            ASSERT_LE(std::abs(level - other.at(y, x, static_cast<int>(c))), rounding + 0.5 + 1e-2);
          }
        }
      }
    }
  }
}

TEST(ComposeRandom, RowsOfColorsAreThoseOfPlainCpp) {
  const std::uint64_t first = from_environment("SLUICE_RANDOM_SEED", 1);
  const std::uint64_t count = from_environment("SLUICE_RANDOM_PROGRAMS", 60);
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE("SLUICE_RANDOM_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<Change> row(1 + random() % 5);
    for (Change& change : row) {
      change.what = static_cast<int>(random() % 6);
      change.number = 0.4f + static_cast<float>(random() % 100) / 100.f;
    }
    check(row);
  }
}

}  // namespace compose_random_test
}  // namespace sluice
