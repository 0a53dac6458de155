#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/erase.h>

#include <climits>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_erase_test {

using kernels::erase;
using kernels::erased_region;
using testing::make_picture;

TEST(Erase, FillsWhatLiesInsideAndCopiesTheRest) {
  const Rectangle regions[] = {
      {0, 0, 1, 1}, {2, 3, 4, 2},  {-2, -3, 5, 6}, {5, 6, 90, 90}, {-9, -9, 90, 90},
      {3, 3, 0, 4}, {3, 3, 4, -1}, {40, 2, 3, 3},  {-5, 0, 2, 2},  {3, 2, INT_MAX, INT_MAX}};
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 7}, {5, 1}, {11, 13}}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image whole = make_picture(height + 2, width + 1, channels);
      const Image in = whole.crop_view(1, 1, height, width);
      const int fill[] = {3, 33, 133, 233};
      for (const Rectangle& r : regions) {
        Image out;
        erase(in, r, {3, 33, 133, 233}, out);
        ASSERT_EQ(out.height(), height);
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            const bool gone = y >= r.y && y - r.y < r.height && x >= r.x && x - r.x < r.width;
            for (int c = 0; c < channels; ++c)
              ASSERT_EQ(out.at(y, x, c), gone ? fill[c] : in.at(y, x, c)) << y << " " << x;
          }
        }
      }
    }
  }
}

TEST(Erase, RegionsInPixelsAndParts) {
  const struct {
    kernels::ErasedPart part;
    Rectangle region;  // of a picture of 40 x 100
  } cases[] = {
      {{.y = 1, .x = 2, .height = 3, .width = 4}, {1, 2, 3, 4}},
      {{.y = 1.4f, .x = 1.5f, .height = 3, .width = 4}, {1, 2, 2 + 1, 4}},
      {{.y = 1.2f, .x = 0, .height = 0.4f, .width = 4}, {1, 0, 1, 4}},
      {{.y = 0.25f, .x = 0.5f, .height = 0.5f, .width = 0.25f, .normalized = true},
       {10, 50, 20, 25}},
      {{.y = 20, .x = 50, .height = 10, .width = 20, .centered = true}, {15, 40, 10, 20}},
      {{.y = 0.5f, .x = 0.5f, .height = 0.5f, .width = 2, .normalized = true, .centered = true},
       {10, 0, 20, 100}},
      {{.y = -5, .x = 90, .height = 10, .width = 90}, {0, 90, 5, 10}},
      {{.y = 80, .x = -90, .height = 10, .width = 10}, {40, 0, 0, 0}},
      {{.y = 1e38f, .x = -3e38f, .height = 3e38f, .width = 3e38f, .normalized = true},
       {40, 0, 0, 0}},
  };
  for (const auto& c : cases) {
    const Rectangle got = erased_region(c.part, 40, 100);
    EXPECT_EQ(got, c.region) << got.y << " " << got.x << " " << got.height << " " << got.width;
  }
}

TEST(Erase, RefusesWhatCannotBe) {
  Image out;
  EXPECT_THROW(erase(Image(), {}, 0, out), std::invalid_argument);
  EXPECT_THROW(erase(Image(2, 2, 5), {}, 0, out), std::invalid_argument);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW((void)erased_region({.y = nan}, 4, 4), std::invalid_argument);
  EXPECT_THROW((void)erased_region({.width = nan}, 4, 4), std::invalid_argument);
  try {
    (void)erased_region({.height = -1}, 4, 4);
    FAIL() << "a negative height was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "erase: height is -1; it must not be below zero");
  }
}

TEST(RandomErasing, RectanglesAreThoseThatWereAskedFor) {
  constexpr int kHeight = 150, kWidth = 200, kDraws = 20000;
  const kernels::RandomErasingParams params{.probability = 0.75};
  int drawn = 0, upper = 0, left = 0, high = 0;
  double area = 0;
  for (std::uint64_t sample = 0; sample < kDraws; ++sample) {
    Random random({.seed = 3, .sample = sample});
    const Rectangle r = kernels::random_erasing_region(random, kHeight, kWidth, params);
    if (r == Rectangle{}) continue;
    ++drawn;
    ASSERT_GE(r.y, 0);
    ASSERT_GE(r.x, 0);
    ASSERT_LE(r.y + r.height, kHeight);
    ASSERT_LE(r.x + r.width, kWidth);
    ASSERT_LT(r.height, kHeight);
    ASSERT_LT(r.width, kWidth);
    const double share = r.height * r.width / double{kHeight * kWidth};
    ASSERT_GT(share, 0.018);
    ASSERT_LT(share, 0.34);
    ASSERT_GT(r.height / double(r.width), 0.28);
    ASSERT_LT(r.height / double(r.width), 3.5);
    area += share;
    upper += 2 * r.y < kHeight - r.height;
    left += 2 * r.x < kWidth - r.width;
    high += r.height > r.width;
  }
  // Four standard deviations of a coin's count. High rectangles of a large area do not fit, so they
  // are rarer.
  EXPECT_NEAR(drawn, 0.75 * kDraws, 4 * std::sqrt(kDraws * 0.75 * 0.25));
  const double slack = 4 * std::sqrt(drawn) / 2 + 0.01 * drawn;
  EXPECT_NEAR(upper, drawn / 2.0, slack);
  EXPECT_NEAR(left, drawn / 2.0, slack);
  EXPECT_NEAR(high, drawn * 0.48, 0.04 * drawn);
  EXPECT_NEAR(area / drawn, 0.17, 0.01);
}

TEST(RandomErasing, NoRectangleWhereNoneFits) {
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 300}, {300, 1}}) {
    Random random({.seed = 5});
    EXPECT_EQ(kernels::random_erasing_region(random, height, width, {.probability = 1}),
              Rectangle{});
  }
  Random random({.seed = 5});
  EXPECT_EQ(kernels::random_erasing_region(random, 50, 50, {.probability = 0}), Rectangle{});
  for (const kernels::RandomErasingParams& bad : {kernels::RandomErasingParams{.probability = 1.5},
                                                  {.min_area = 0},
                                                  {.min_area = 0.5},
                                                  {.min_ratio = -1},
                                                  {.max_ratio = 0.1},
                                                  {.attempts = -1}}) {
    EXPECT_THROW((void)kernels::random_erasing_region(random, 50, 50, bad), std::invalid_argument);
  }
}

}  // namespace kernels_erase_test
}  // namespace sluice
