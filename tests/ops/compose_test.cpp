// With `compose`, consecutive maps of colors become one, and so do maps of places. Pixels are those
// of the one map, errors and counts those of the steps. Without `compose`, nothing changes.
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace compose_test {

using testing::largest_difference;
using testing::make_image;

constexpr int kImages = 12;

using Describe = std::function<Value<Image>(Graph&, Value<Image>)>;

struct Ran {
  std::vector<Image> images;  // by sample; empty where it failed
  std::vector<std::string> errors;
  std::string plan;
};

Image image_of(std::int64_t i) {
  constexpr int kChannels[] = {3, 3, 4, 1};
  const int n = static_cast<int>(i);
  return make_image(20 + n % 3 * 7, 31 + n % 4 * 5, kChannels[n % 4],
                    7u + static_cast<unsigned>(n));
}

Ran run(const Describe& describe, bool compose, int threads = 2) {
  auto pipeline = make_pipeline(
      {.batch_size = 5,
       .seed = 9,
       .threads = threads,
       .on_error = OnError::skip,
       .compose = compose},
      [&](Graph& g) {
        auto index = g.source(kImages, [](const SampleInfo& info) { return info.index_in_epoch; });
        return std::tuple{describe(g, g.map("draw", image_of, index)), index};
      });
  Ran ran;
  ran.images.resize(kImages);
  ran.errors.resize(kImages);
  for (auto epoch = pipeline.epoch(); const auto batch = epoch.next();) {
    for (std::size_t k = 0; k < batch->size(); ++k) {
      const auto at = static_cast<std::size_t>(batch->get<1>()[k]);
      ran.images[at] = batch->get<0>()[k].clone();
    }
    for (const SampleError& error : batch->errors())
      ran.errors[static_cast<std::size_t>(error.key.index)] = to_string(error);
  }
  ran.plan = to_string(pipeline.plan());
  return ran;
}

// Returns the number of compositions in the plan.
int composed(const Ran& ran) {
  int count = 0;
  for (std::size_t at = ran.plan.find("[composed of"); at != std::string::npos;
       at = ran.plan.find("[composed of", at + 1))
    ++count;
  return count;
}

// Images of one to four channels, with the fourth changed and left out.
TEST(Compose, ColorsOfEveryNumberOfChannels) {
  const struct {
    const char* name;
    Describe describe;
  } cases[] = {
      {"the fourth is inverted, too",
       [](Graph&, Value<Image> image) { return invert(saturation(image, 0.5f)); }},
      {"to gray", [](Graph&, Value<Image> image) { return grayscale(saturation(image, 0.7f)); }},
      {"gray, then three",
       [](Graph&, Value<Image> image) {
         return invert(grayscale(grayscale(image), {.channels = 3}));
       }},
      {"three equal ones",
       [](Graph&, Value<Image> image) {
         return saturation(grayscale(invert(image), {.channels = 3}), 0.3f);
       }},
      {"shifted, and one channel dropped",
       [](Graph&, Value<Image> image) {
         auto shifted = rgb_shift(grayscale(image, {.channels = 3}), {.red = 30, .blue = -30});
         return invert(channel_dropout(shifted, 1, 200));
       }},
      {"the only channel is dropped",
       [](Graph&, Value<Image> image) {
         return channel_dropout(saturation(grayscale(image), 0.5f), 0, 99);
       }},
      {"a gray image gets brighter",
       [](Graph&, Value<Image> image) {
         return color_twist(color_twist(image, {.contrast = 0.5f}), {.brightness = 0.9f});
       }},
  };
  for (const auto& c : cases) {
    const Ran one = run(c.describe, true), steps = run(c.describe, false);
    EXPECT_EQ(composed(one), 1) << c.name;
    EXPECT_EQ(composed(steps), 0) << c.name;
    for (std::size_t i = 0; i < kImages; ++i) {
      ASSERT_FALSE(steps.images[i].empty()) << c.name;
      EXPECT_LE(largest_difference(one.images[i], steps.images[i]), 1)
          << c.name << ", sample " << i;
    }
  }
}

TEST(Compose, OrdersOfChannelsAreExact) {
  const Describe orders = [](Graph&, Value<Image> image) {
    return permute_channels(
        permute_channels(grayscale(image, {.channels = 3}), {.first = 2, .third = 0}),
        {.first = 1, .second = 2, .third = 0});
  };
  const Ran one = run(orders, true), steps = run(orders, false);
  EXPECT_EQ(composed(one), 1);
  for (std::size_t i = 0; i < kImages; ++i)
    EXPECT_EQ(largest_difference(one.images[i], steps.images[i]), 0) << i;
}

// Returns the pixel value at a place of the input, by plain bilinear interpolation; `fill` outside.
int level_at(const Image& in, double x, double y, int c, int fill) {
  if (x < 0 || y < 0 || x >= in.width() || y >= in.height()) return fill;
  const double column = std::floor(x - 0.5), row = std::floor(y - 0.5);
  const double wx = x - 0.5 - column, wy = y - 0.5 - row;
  const auto level = [&](double at_y, double at_x) {
    const int r = std::clamp(static_cast<int>(at_y), 0, in.height() - 1);
    const int k = std::clamp(static_cast<int>(at_x), 0, in.width() - 1);
    return static_cast<double>(in.at(r, k, c));
  };
  const double upper = (1 - wx) * level(row, column) + wx * level(row, column + 1);
  const double lower = (1 - wx) * level(row + 1, column) + wx * level(row + 1, column + 1);
  return static_cast<int>(std::floor((1 - wy) * upper + wy * lower + 0.5));
}

TEST(Compose, WarpsAreThoseOfTheOneMap) {
  constexpr int kFill = 77;
  const Describe three = [](Graph& g, Value<Image> image) {
    auto angle = g.map(
        "angle", [](const Image& in) { return static_cast<float>(in.width() % 5) * 17.f; }, image);
    auto sheared = shear(image, {.y = -0.1f, .x = 0.3f, .fill = kFill});
    auto turned = rotate(sheared, angle, {.keep_size = true, .fill = kFill});
    return translate(flip(turned), {.y = -2.5f, .x = 3.25f, .fill = kFill});
  };
  const Ran ran = run(three, true);
  EXPECT_EQ(composed(ran), 1) << ran.plan;
  EXPECT_NE(ran.plan.find("composed of shear + rotate + flip + translate"), std::string::npos)
      << ran.plan;
  for (int i = 0; i < kImages; ++i) {
    const Image in = image_of(i);
    const Image& out = ran.images[static_cast<std::size_t>(i)];
    ASSERT_EQ(out.height(), in.height());
    ASSERT_EQ(out.width(), in.width());
    const double w = in.width(), h = in.height();
    const double angle = -(in.width() % 5 * 17.0) * 3.14159265358979323846 / 180;
    int outside = 0, wrong = 0;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        // Back through the steps, the last one first.
        double px = x + 0.5 - 3.25, py = y + 0.5 + 2.5;
        px = w - px;
        const double dx = px - w / 2, dy = py - h / 2;
        px = std::cos(angle) * dx + std::sin(angle) * dy + w / 2;
        py = -std::sin(angle) * dx + std::cos(angle) * dy + h / 2;
        const double determinant = 1 + 0.3 * 0.1;
        const double sx = (px - 0.3 * py) / determinant, sy = (0.1 * px + py) / determinant;
        const bool near_border = std::min({sx, w - sx, sy, h - sy}) < 1e-4 &&
                                 std::max({-sx, sx - w, -sy, sy - h}) < 1e-4;
        for (int c = 0; c < in.channels() && !near_border; ++c) {
          const int expected = level_at(in, sx, sy, c, kFill);
          outside += expected == kFill;
          wrong += std::abs(out.at(y, x, c) - expected) > 1;
        }
      }
    }
    EXPECT_EQ(wrong, 0) << "sample " << i;
    EXPECT_GT(outside, 0) << "sample " << i;
  }
}

TEST(Compose, WhatLeavesTheCanvasOnTheWayComesBack) {
  const Describe there_and_back = [](Graph&, Value<Image> image) {
    return translate(translate(image, {.x = 15}), {.x = -15});
  };
  const Ran one = run(there_and_back, true), steps = run(there_and_back, false);
  EXPECT_EQ(composed(one), 1);
  for (int i = 0; i < kImages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(largest_difference(one.images[at], image_of(i)), 0);
    EXPECT_GT(largest_difference(steps.images[at], image_of(i)), 0);
  }
}

TEST(Compose, SizesAreThoseOfTheSteps) {
  const Describe sizes = [](Graph&, Value<Image> image) {
    auto larger = rotate(image, 30.f);
    return warp_affine(rotate(larger, 45.f), {.xx = 1.1f}, {.width = 17});
  };
  const Ran one = run(sizes, true), steps = run(sizes, false);
  EXPECT_EQ(composed(one), 1);
  for (std::size_t i = 0; i < kImages; ++i) {
    EXPECT_EQ(one.images[i].height(), steps.images[i].height());
    EXPECT_EQ(one.images[i].width(), 17);
  }
}

TEST(Compose, QuarterTurnsAndFlipsMoveWholePixels) {
  for (int element = 0; element < 8; ++element) {
    const Describe moved = [=](Graph&, Value<Image> image) {
      return d4(rot90(translate(image, {.y = -4, .x = 3, .fill = 9}), element - 3), element);
    };
    const Ran one = run(moved, true), steps = run(moved, false);
    EXPECT_EQ(composed(one), 1) << one.plan;
    for (std::size_t i = 0; i < kImages; ++i)
      EXPECT_EQ(largest_difference(one.images[i], steps.images[i]), 0) << element << ", " << i;
  }
}

TEST(Compose, StepsThatDoNotBelongTogetherStayApart) {
  const struct {
    const char* name;
    Describe describe;
    int rows;
  } cases[] = {
      {"other fills",
       [](Graph&, Value<Image> image) {
         return rotate(shear(image, {.x = 0.2f, .fill = 1}), 10.f, {.fill = 2});
       },
       0},
      {"other interpolations",
       [](Graph&, Value<Image> image) {
         return rotate(shear(image, {.x = 0.2f, .interpolation = Interpolation::nearest}), 10.f);
       },
       0},
      {"other borders",
       [](Graph&, Value<Image> image) {
         return rotate(shear(image, {.x = 0.2f, .border = Border::edge}), 10.f);
       },
       0},
      {"the borders of rotate, too",
       [](Graph&, Value<Image> image) {
         return rotate(shear(image, {.x = 0.2f, .border = Border::edge}), 10.f,
                       {.border = Border::edge});
       },
       1},
      {"with an edge, the fill does not count",
       [](Graph&, Value<Image> image) {
         return translate(shear(image, {.x = 0.2f, .border = Border::edge, .fill = 3}),
                          {.x = 4, .border = Border::edge, .fill = 5});
       },
       1},
      {"colors and places",
       [](Graph&, Value<Image> image) { return rotate(saturation(image, 0.5f), 10.f); }, 0},
      {"tables alone are fused, exactly",
       [](Graph&, Value<Image> image) {
         return invert(brightness_contrast(image, {.brightness = 0.5f}));
       },
       0},
      {"flips alone", [](Graph&, Value<Image> image) { return flip(flip(image)); }, 0},
      {"somebody looks between them",
       [](Graph& g, Value<Image> image) {
         auto pale = saturation(image, 0.5f);
         auto seen = g.map(
             "look", [](const Image& in) { return in.height(); }, pale);
         return saturation(pale, g.map(
                                     "factor", [](int h) { return h > 0 ? 0.5f : 1.f; }, seen));
       },
       0},
      {"a branch begins",
       [](Graph& g, Value<Image> image) {
         auto pale = saturation(image, 0.5f);
         return g.if_else(
             g.coin_flip(0.5f), [&] { return saturation(pale, 0.5f); }, [&] { return pale; });
       },
       0},
      {"all in a branch",
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             g.coin_flip(0.5f), [&] { return saturation(saturation(image, 0.5f), 0.5f); },
             [&] { return image; });
       },
       1},
      {"an image's own mean is no map",
       [](Graph&, Value<Image> image) { return saturation(contrast(image, 0.5f), 0.5f); }, 0},
      {"two rows",
       [](Graph&, Value<Image> image) {
         auto turned = rotate(shear(image, {.x = 0.1f}), 5.f, {.keep_size = true});
         return saturation(color_twist(turned, {.hue = 20.f}), 0.8f);
       },
       2},
  };
  for (const auto& c : cases) {
    const Ran one = run(c.describe, true), steps = run(c.describe, false);
    EXPECT_EQ(composed(one), c.rows) << c.name << "\n" << one.plan;
    EXPECT_EQ(composed(steps), 0) << c.name;
    if (c.rows > 0) continue;
    for (std::size_t i = 0; i < kImages; ++i)
      EXPECT_EQ(largest_difference(one.images[i], steps.images[i]), 0) << c.name;
  }
}

// Each step refuses the same as alone, with the same message.
TEST(Compose, ErrorsAreThoseOfTheSteps) {
  const auto number = [](Graph& g, Value<Image> image, float first) {
    return g.map(
        "number", [first](const Image& in) { return in.channels() == 4 ? first : 0.5f; }, image);
  };
  const struct {
    const char* name;
    Describe describe;
  } cases[] = {
      {"a factor below zero",
       [&](Graph& g, Value<Image> image) {
         return saturation(saturation(image, number(g, image, -1.f)), 0.5f);
       }},
      {"the second one's",
       [&](Graph& g, Value<Image> image) {
         return color_twist(saturation(image, 0.5f), {.hue = number(g, image, NAN)});
       }},
      {"too few channels",
       [&](Graph&, Value<Image> image) {
         return permute_channels(saturation(image, 0.5f), {.first = 2, .third = 0});
       }},
      {"too few channels on the way",
       [&](Graph&, Value<Image> image) {
         return permute_channels(grayscale(image), {.first = 2, .third = 0});
       }},
      {"an angle that is not a number",
       [&](Graph& g, Value<Image> image) {
         return rotate(shear(image, {.x = 0.1f}), number(g, image, INFINITY));
       }},
      {"a shear to a line",
       [&](Graph& g, Value<Image> image) {
         return rotate(shear(image, {.y = number(g, image, 0.25f), .x = 2.f}), 10.f);
       }},
  };
  for (const auto& c : cases) {
    const Ran one = run(c.describe, true), steps = run(c.describe, false);
    EXPECT_EQ(composed(one), 1) << c.name;
    EXPECT_EQ(one.errors, steps.errors) << c.name;
    EXPECT_TRUE(std::any_of(one.errors.begin(), one.errors.end(), [](const std::string& error) {
      return !error.empty();
    })) << c.name;
  }
}

TEST(Compose, AMapThatLeadsTooFarIsAnErrorOfItsSample) {
  const Ran ran = run(
      [](Graph&, Value<Image> image) {
        const AffineMatrix wide{.xx = 3000.f};
        return warp_affine(warp_affine(image, wide), wide);
      },
      true);
  for (const std::string& error : ran.errors)
    EXPECT_NE(error.find("the composed warp: the map"), std::string::npos) << error;
}

TEST(Compose, ExplainShowsThePassOnlyWhereItRuns) {
  for (const bool compose : {false, true}) {
    auto pipeline = make_pipeline({.compose = compose}, [](Graph& g) {
      auto image = g.source(1, [](const SampleInfo&) { return image_of(0); });
      return saturation(color_twist(image, {.hue = 10.f}), 0.5f);
    });
    const std::string text = pipeline.explain();
    EXPECT_EQ(text.find("compose:") != std::string::npos, compose) << text;
    EXPECT_EQ(text.find("composed of color_twist + saturation") != std::string::npos, compose)
        << text;
    // One by one, whatever the pipeline does.
    EXPECT_TRUE(pipeline.inspect(0).has("color_twist"));
  }
}

}  // namespace compose_test
}  // namespace sluice
