#include <sluice/ops/kernels/crop.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice {
namespace crop_regions_test {

using kernels::center_crop_region;
using kernels::ImageSize;
using kernels::random_resized_crop_region;
using kernels::RandomCropParams;
using kernels::resize_shorter_size;

TEST(RandomResizedCropRectangle, StaysInsideAndWithinItsRanges) {
  for (const auto& [height, width] : {std::pair{375, 500}, {500, 375}, {224, 224}, {1600, 2400}}) {
    for (std::uint32_t sample = 0; sample < 2000; ++sample) {
      Random random({.seed = 5, .sample = sample});
      const Rectangle w = random_resized_crop_region(random, height, width);
      ASSERT_GE(w.y, 0);
      ASSERT_GE(w.x, 0);
      ASSERT_GE(w.height, 1);
      ASSERT_GE(w.width, 1);
      ASSERT_LE(w.y + w.height, height);
      ASSERT_LE(w.x + w.width, width);
      // Rounding to whole pixels moves area and shape a little.
      const double area = 1.0 * w.height * w.width / (1.0 * height * width);
      ASSERT_GT(area, 0.08 - 0.01);
      ASSERT_LE(area, 1.0);
      const double ratio = 1.0 * w.width / w.height;
      ASSERT_GT(ratio, 0.75 - 0.02);
      ASSERT_LT(ratio, 4.0 / 3.0 + 0.03);
    }
  }
}

TEST(RandomResizedCropRectangle, AreaIsUniformAndShapeLogUniform) {
  // Small regions always fit, so nothing is rejected and the means are those of the distributions.
  const RandomCropParams params{.scale_low = 0.05, .scale_high = 0.25};
  double area = 0, log_ratio = 0, y = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    Random random({.seed = 9, .sample = static_cast<std::uint32_t>(i)});
    const Rectangle w = random_resized_crop_region(random, 1000, 1000, params);
    area += w.height * w.width / 1e6;
    log_ratio += std::log(1.0 * w.width / w.height);
    y += 1.0 * w.y / (1000 - w.height);
  }
  EXPECT_NEAR(area / kDraws, 0.15, 0.002);
  EXPECT_NEAR(log_ratio / kDraws, 0.0, 0.006);
  EXPECT_NEAR(y / kDraws, 0.5, 0.01);
}

TEST(RandomResizedCropRectangle, IsAFunctionOfTheKey) {
  Random a({.seed = 1, .epoch = 2, .sample = 3, .generator = 4});
  Random b({.seed = 1, .epoch = 2, .sample = 3, .generator = 4});
  EXPECT_EQ(random_resized_crop_region(a, 375, 500), random_resized_crop_region(b, 375, 500));
}

TEST(RandomResizedCropRectangle, FallsBackToTheMiddle) {
  const RandomCropParams none{.attempts = 0};
  Random random({});
  // Too tall: full width, height = width / (3/4). Too wide: full height, width = height * 4/3.
  EXPECT_EQ(random_resized_crop_region(random, 1000, 30, none), (Rectangle{480, 0, 40, 30}));
  EXPECT_EQ(random_resized_crop_region(random, 30, 1000, none), (Rectangle{0, 480, 30, 40}));
  EXPECT_EQ(random_resized_crop_region(random, 90, 100, none), (Rectangle{0, 0, 90, 100}));
  EXPECT_EQ(random_resized_crop_region(random, 1, 1, none), (Rectangle{0, 0, 1, 1}));
  // An area beyond the picture never fits.
  const RandomCropParams huge{.scale_low = 5, .scale_high = 6};
  EXPECT_EQ(random_resized_crop_region(random, 90, 100, huge), (Rectangle{0, 0, 90, 100}));
  const RandomCropParams flat{.ratio_low = 1e-30, .ratio_high = 1e-30};
  EXPECT_EQ(random_resized_crop_region(random, 90, 100, flat).width, 1);
}

TEST(RandomResizedCropRectangle, RefusesImpossibleRanges) {
  Random random({});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const RandomCropParams& p : {RandomCropParams{.scale_low = 0},
                                    {.scale_low = 0.5, .scale_high = 0.4},
                                    {.ratio_low = -1},
                                    {.ratio_high = 0.1},
                                    {.attempts = -1},
                                    {.scale_low = nan},
                                    {.ratio_high = nan}}) {
    EXPECT_THROW(random_resized_crop_region(random, 10, 10, p), std::invalid_argument);
  }
  EXPECT_THROW(random_resized_crop_region(random, 0, 10), std::invalid_argument);
}

TEST(CenterCropRegion, RoundsHalvesToEven) {
  EXPECT_EQ(center_crop_region(256, 341, 224, 224), (Rectangle{16, 58, 224, 224}));  // 58.5
  EXPECT_EQ(center_crop_region(256, 343, 224, 224), (Rectangle{16, 60, 224, 224}));  // 59.5
  EXPECT_EQ(center_crop_region(5, 4, 4, 4), (Rectangle{0, 0, 4, 4}));                // 0.5
  EXPECT_EQ(center_crop_region(7, 7, 7, 7), (Rectangle{0, 0, 7, 7}));
  EXPECT_THROW(center_crop_region(256, 200, 224, 224), std::invalid_argument);
  EXPECT_THROW(center_crop_region(256, 256, 0, 224), std::invalid_argument);
}

TEST(ResizeShorterSize, RoundsTheLongerSideDown) {
  EXPECT_EQ(resize_shorter_size(375, 500, 256), (ImageSize{256, 341}));  // 341.33
  EXPECT_EQ(resize_shorter_size(500, 375, 256), (ImageSize{341, 256}));
  EXPECT_EQ(resize_shorter_size(333, 500, 256), (ImageSize{256, 384}));  // 384.38
  EXPECT_EQ(resize_shorter_size(100, 100, 256), (ImageSize{256, 256}));
  EXPECT_THROW(resize_shorter_size(100, 100, 0), std::invalid_argument);
  EXPECT_THROW(resize_shorter_size(1, 60000, 256), std::invalid_argument);
}

}  // namespace crop_regions_test
}  // namespace sluice
