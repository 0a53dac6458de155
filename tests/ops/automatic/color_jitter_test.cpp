// Tests that color_jitter applies its steps in every order equally often, with factors of the whole
// range.
#include "tests/error_of.h"
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace color_jitter_test {

constexpr int kSamples = 2400;

std::vector<Image> jittered(const Image& image, const ColorJitterOptions& options) {
  auto pipeline = make_pipeline({.batch_size = kSamples, .seed = 4}, [&](Graph& g) {
    auto source = g.source(kSamples, [&](const SampleInfo&) { return image.clone(); });
    return color_jitter(g, source, options);
  });
  auto epoch = pipeline.epoch();
  const auto batch = epoch.next();
  std::vector<Image> all;
  for (int i = 0; i < kSamples; ++i)
    all.push_back(batch->get<0>()[static_cast<std::size_t>(i)].clone());
  return all;
}

TEST(ColorJitter, DrawsAllOrdersEquallyOften) {
  const Image image = draw_image(6, 8, 3, 3);
  std::array<int, 4> order{0, 1, 2, 3};
  std::vector<Image> expected;
  do {
    Image now = image.clone(), next;
    for (const int step : order) {
      if (step == 0)
        kernels::map_levels(now, kernels::brightness_contrast_table(1.3f, 1, 128, 0), next);
      if (step == 1) kernels::contrast(now, 0.6f, next);
      if (step == 2) kernels::saturation(now, 1.7f, next);
      if (step == 3) kernels::hue(now, 40, next);
      std::swap(now, next);
    }
    expected.push_back(std::move(now));
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<int> counts(expected.size());
  for (const Image& found : jittered(image, {.brightness = {1.3f, 1.3f},
                                            .contrast = {0.6f, 0.6f},
                                            .saturation = {1.7f, 1.7f},
                                            .hue = {40, 40}})) {
    const auto at = std::find(expected.begin(), expected.end(), found);
    ASSERT_NE(at, expected.end());
    ++counts[static_cast<std::size_t>(at - expected.begin())];
  }
  for (const int count : counts) EXPECT_NEAR(count, kSamples / 24.0, 60);  // 6 standard deviations
}

TEST(ColorJitter, DrawsFactorsOfTheWholeRange) {
  Image image(1, 1, 3);
  std::fill_n(image.row(0), 3, std::uint8_t{100});
  std::array<int, 8> bins{};  // of factors from 0.6 to 1.4
  for (const Image& found : jittered(image, {.brightness = {0.6f, 1.4f}})) {
    const int value = found.row(0)[0];
    ASSERT_GE(value, 60);
    ASSERT_LE(value, 140);
    ++bins[static_cast<std::size_t>(std::min((value - 60) / 10, 7))];
  }
  for (const int count : bins) EXPECT_NEAR(count, kSamples / 8.0, 6 * std::sqrt(kSamples / 8.0));
}

TEST(ColorJitter, LeavesOutNeutralStepsAndRefusesWrongRanges) {
  const Image image = draw_image(6, 8, 3, 3);
  for (const Image& found : jittered(image, {})) ASSERT_EQ(found, image);
  const auto told = [&](const ColorJitterOptions& options) {
    return error_of<BuildError>([&] { (void)jittered(image, options); });
  };
  EXPECT_EQ(told({.contrast = {1.5f, 0.5f}}),
            "color_jitter: contrast must be a range of finite numbers from 0 on, smallest first, "
            "not 1.5 to 0.5");
  EXPECT_EQ(told({.brightness = {-1, 1}}),
            "color_jitter: brightness must be a range of finite numbers from 0 on, smallest first, "
            "not -1 to 1");
  EXPECT_EQ(told({.hue = {0, INFINITY}}),
            "color_jitter: hue must be a range of finite numbers, smallest first, not 0 to inf");
}

}  // namespace color_jitter_test
}  // namespace sluice
