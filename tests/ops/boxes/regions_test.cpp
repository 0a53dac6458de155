// scaled_region, expanded_region and nested_region, against the operations that they replace.
#include <sluice/graph/pipeline.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <tests/ops/kernels/reference.h>

namespace sluice {
namespace regions_test {

TEST(ShownPart, IsTheWindowsShareOfTheScaledSide) {
  const struct {
    int length, window;
    float scale, share;
    kernels::ShownPart expected;
  } cases[] = {
      {500, 512, 1.f, 0.5f, {0, 500, 500}},    // smaller than the window
      {512, 512, 1.f, 0.3f, {0, 512, 512}},    // just as large
      {600, 512, 1.f, 0.f, {0, 512, 512}},     // the first, ...
      {600, 512, 1.f, 1.f, {88, 512, 512}},    // the last,
      {600, 512, 1.f, 0.5f, {44, 512, 512}},   // the middle
      {500, 512, 2.f, 1.f, {244, 256, 512}},   // enlarged
      {500, 512, 0.5f, 1.f, {0, 500, 250}},    // made smaller
      {2000, 512, 0.5f, 0.f, {0, 1024, 512}},  // made smaller, and still too large
      {1, 512, 0.5f, 0.f, {0, 1, 1}},         {1, 1, 2.f, 0.7f, {0, 1, 1}},
      {65535, 1, 2.f, 1.f, {65534, 1, 1}},
  };
  for (const auto& c : cases)
    EXPECT_EQ(kernels::shown_part(c.length, c.window, c.scale, c.share), c.expected)
        << c.length << ", " << c.window << ", " << c.scale << ", " << c.share;
}

TEST(ShownPart, LiesInsideForAllNumbers) {
  Random random({.seed = 4});
  for (int trial = 0; trial < 20000; ++trial) {
    const int length = 1 + static_cast<int>(random.below(trial % 2 == 0 ? 9 : 65535));
    const int window = 1 + static_cast<int>(random.below(trial % 3 == 0 ? 9 : 65535));
    const float scale = std::exp(random.uniform(-6.f, 6.f));
    const kernels::ShownPart part = kernels::shown_part(length, window, scale, random.unit());
    ASSERT_GE(part.begin, 0);
    ASSERT_GE(part.length, 1);
    ASSERT_LE(part.begin + part.length, length);
    ASSERT_GE(part.scaled, 1);
    ASSERT_LE(part.scaled, window);
    // As large as the scale says, but for the rounding of both sides. At least one pixel of the
    // image is shown.
    if (part.length == 1) continue;
    const double exact = static_cast<double>(scale) * part.length;
    ASSERT_NEAR(part.scaled, exact, std::max(0.5001 * static_cast<double>(scale), 1.0001))
        << length << ", " << window << ", " << scale;
  }
}

TEST(ShownPart, RefusesWhatMakesNoSense) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(kernels::shown_part(0, 5, 1.f, 0.f), std::invalid_argument);
  EXPECT_THROW(kernels::shown_part(5, 0, 1.f, 0.f), std::invalid_argument);
  EXPECT_THROW(kernels::shown_part(5, 5, 0.f, 0.f), std::invalid_argument);
  EXPECT_THROW(kernels::shown_part(5, 5, nan, 0.f), std::invalid_argument);
  EXPECT_THROW(kernels::shown_part(5, 5, std::numeric_limits<float>::infinity(), 0.f),
               std::invalid_argument);
  EXPECT_THROW(kernels::shown_part(5, 5, 1.f, 1.5f), std::invalid_argument);
  EXPECT_THROW(kernels::shown_part(5, 5, 1.f, nan), std::invalid_argument);
}

// crop of the region equals expand of the image. A nested region equals two crops, one after the
// other.
TEST(Regions, AreWorthWhatTheySay) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 6, .threads = 2}, [](Graph& g) {
    auto image = g.source(40, [](const SampleInfo& info) {
      return testing::make_image(5 + static_cast<int>(info.index % 7), 9, 3,
                                 static_cast<std::uint32_t>(info.index));
    });
    const ExpandOptions how{.ratio = g.uniform(1.f, 3.f),
                            .y = g.uniform(0.f, 1.f),
                            .x = g.uniform(0.f, 1.f),
                            .fill = {7, 8, 9}};
    const CropOptions beyond{.out_of_bounds = OutOfBounds::pad, .fill = {7, 8, 9}};
    auto canvas = expand(image, how);
    auto region = expanded_region(canvas_size(image), how);
    auto part = random_region(canvas, {.min_area = 0.2f});
    return std::tuple{canvas, crop(image, region, beyond), crop(canvas, part),
                      crop(image, nested_region(region, part), beyond)};
  });
  int samples = 0;
  for (const auto& [canvas, by_region, part, by_nested] : pipeline.epoch()) {
    for (std::size_t i = 0; i < canvas.size(); ++i, ++samples) {
      EXPECT_TRUE(canvas[i] == by_region[i]) << i;
      EXPECT_TRUE(part[i] == by_nested[i]) << i;
    }
  }
  EXPECT_EQ(samples, 40);
}

TEST(Regions, ScaledRegionIsWhatTheWindowShows) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [](Graph& g) {
    auto image = g.source(1, [](const SampleInfo&) { return testing::make_image(40, 30, 3, 1); });
    const ScaledRegion shown = scaled_region(
        canvas_size(image), {.height = 100, .width = 25, .scale = 2.f, .y = 1.f, .x = 1.f});
    return std::tuple{shown.region, shown.size.height.value(), shown.size.width.value()};
  });
  auto epoch = pipeline.epoch();
  const auto batch = epoch.next();
  EXPECT_EQ(batch->get<0>()[0], (Rectangle{.y = 0, .x = 17, .height = 40, .width = 13}));
  EXPECT_EQ(batch->get<1>()[0], 80);
  EXPECT_EQ(batch->get<2>()[0], 25);
}

TEST(Regions, WhatCannotBeIsTheErrorOfItsSample) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1, .on_error = OnError::skip}, [](Graph& g) {
        auto [ratio, far] = g.source(2, [](const SampleInfo& info) {
          return std::tuple{info.index == 0 ? 0.5f : 1.f,
                            Rectangle{.x = std::numeric_limits<int>::max(), .width = 1}};
        });
        auto region = expanded_region({.height = 5, .width = 5}, {.ratio = ratio});
        return nested_region(nested_region(far, far), region);
      });
  std::string errors;
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_EQ(batch.size(), 0u);
    for (const SampleError& error : batch.errors()) errors += error.what + "\n";
  }
  EXPECT_NE(errors.find("ratio"), std::string::npos) << errors;
  EXPECT_NE(errors.find("nested_region: 2147483647 + 2147483647"), std::string::npos) << errors;
}

}  // namespace regions_test
}  // namespace sluice
