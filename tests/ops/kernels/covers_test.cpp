// Kernels that cover parts of an image, or all of it: with a color, or with other images.
#include "tests/ops/kernels/image_kernel.h"
#include <sluice/ops/kernels/mix.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace sluice::testing {
namespace covers_test {

using kernels::coarse_dropout_holes;
using kernels::CoarseDropout;
using kernels::erased_region;
using kernels::GridMask;
using kernels::PastePlace;
using kernels::random_erasing_region;
using kernels::RandomErasingParams;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

ImageKernel erase() {
  ImageKernel kernel("erase");
  kernel.wide_sizes = {{9, 61}};
  kernel.sizes = {{1, 1}, {1, 7}, {5, 1}, {11, 13}};
  const Rectangle regions[] = {
      {0, 0, 1, 1}, {2, 3, 4, 2},  {-2, -3, 5, 6}, {5, 6, 90, 90}, {-9, -9, 90, 90},
      {3, 3, 0, 4}, {3, 3, 4, -1}, {40, 2, 3, 3},  {-5, 0, 2, 2},  {3, 2, INT_MAX, INT_MAX}};
  const Fill fill(3, 33, 133, 233);
  for (const Rectangle& r : regions) {
    kernel.gives(
        std::to_string(r.height) + " x " + std::to_string(r.width) + " at " + std::to_string(r.y) +
            ", " + std::to_string(r.x),
        [=](const Image& in, Image& out) { kernels::erase(in, r, fill, out); },
        [=](const Image& in) {
          Levels out(in);
          out.fill([&](int y, int x, int c) {
            const bool gone = y >= r.y && y - r.y < r.height && x >= r.x && x - r.x < r.width;
            return gone ? fill[c] : in.at(y, x, c);
          });
          return out;
        });
  }
  const auto region = [](const kernels::ErasedPart& part) {
    return [=](const Image&, Image&) { (void)erased_region(part, 4, 4); };
  };
  kernel.refuses(region({.y = kNan}), "erase: y is nan; a finite number is needed");
  kernel.refuses(region({.width = kNan}), "erase: width is nan; a finite number is needed");
  kernel.refuses(region({.height = -1}), "erase: height is -1; it must not be below zero");
  return kernel;
}

ImageKernel coarse_dropout() {
  ImageKernel kernel("coarse_dropout");
  kernel.wide_sizes = {{9, 61}};
  kernel.sizes = {{1, 1}, {1, 7}, {5, 1}, {11, 13}, {30, 40}};
  const Fill fill(3, 33, 133, 233);
  const auto with = [=](const CoarseDropout& params) {
    return [=](const Image& in, Image& out) {
      Random random({.seed = 8});
      kernels::coarse_dropout(random, in, params, fill, out);
    };
  };
  for (const CoarseDropout& params :
       {CoarseDropout{},
        {.holes = 0},
        {.holes = 3, .height = 0},
        {.holes = 5, .height = 2.5f, .width = 1.4f},
        {.holes = 2, .height = 3e38f, .width = 1},
        {.holes = 4, .height = 0.5f, .width = 0.2f, .normalized = true}}) {
    kernel.gives(std::to_string(params.holes) + " holes of " + std::to_string(params.height),
                 with(params), [=](const Image& in) {
                   Random random({.seed = 8});
                   const auto holes = coarse_dropout_holes(random, in.height(), in.width(), params);
                   Levels out(in);
                   out.fill([&](int y, int x, int c) {
                     for (const Rectangle& r : holes) {
                       if (y >= r.y && y < r.y + r.height && x >= r.x && x < r.x + r.width)
                         return fill[c];
                     }
                     return in.at(y, x, c);
                   });
                   return out;
                 });
  }
  const struct {
    CoarseDropout params;
    std::string says;
  } cases[] = {{{.holes = -1}, "holes is -1; it must lie between 0 and 1000"},
               {{.holes = 1001}, "holes is 1001; it must lie between 0 and 1000"},
               {{.height = -1}, "height is -1; it must not be below zero"},
               {{.width = kNan}, "width is nan; a finite number is needed"},
               {{.height = 8, .width = 0.5f, .normalized = true},
                "height is 8 and width is 0.5; as shares of the image they must lie between 0 and "
                "1"}};
  for (const auto& c : cases) kernel.refuses(with(c.params), "coarse_dropout: " + c.says);
  return kernel;
}

double remainder_of(double x, double tile) { return x - tile * std::floor(x / tile); }

// Squares of a turned grid. The formula cannot tell the pixels that are close to an edge.
Levels masked(const Image& in, const GridMask& mask) {
  const double a = mask.degrees * std::numbers::pi / 180;
  const double side = double{mask.ratio} * mask.tile;
  Levels out(in);
  out.fill([&](int y, int x, int c) -> double {
    if (side == 0 || mask.ratio == 1) return side == 0 ? in.at(y, x, c) : mask.fill[c];
    const double dx = x - double{mask.shift_x}, dy = y - double{mask.shift_y};
    const double u = remainder_of(dx * std::cos(a) - dy * std::sin(a), mask.tile);
    const double v = remainder_of(dx * std::sin(a) + dy * std::cos(a), mask.tile);
    for (const double place : {u, v}) {
      for (const double edge : {0.0, side, double(mask.tile)}) {
        if (std::abs(place - edge) < 0.005) return kAnyLevel;
      }
    }
    return u < side && v < side ? mask.fill[c] : in.at(y, x, c);
  });
  return out;
}

ImageKernel grid_mask() {
  ImageKernel kernel("grid_mask");
  kernel.wide_sizes = {{9, 61}};
  kernel.sizes = {{1, 1}, {1, 31}, {29, 1}, {40, 53}, {9, 11}};
  const auto with = [](const GridMask& mask) {
    return [=](const Image& in, Image& out) { kernels::grid_mask(in, mask, out); };
  };
  for (const GridMask& mask :
       {GridMask{.tile = 10, .ratio = 0.35f, .degrees = 20, .fill = {1, 2, 3, 4}},
        {.tile = 7, .degrees = -130.5f, .shift_x = 3.25f, .shift_y = -8},
        {.tile = 3, .ratio = 0.9f, .degrees = 719, .shift_x = 1e5f},
        {.tile = 65535, .degrees = 45},
        {.ratio = 0, .degrees = 30},
        {.tile = 5, .ratio = 1, .degrees = 30, .fill = 8}}) {
    kernel.gives("tile " + std::to_string(mask.tile), with(mask),
                 [=](const Image& in) { return masked(in, mask); });
  }
  const struct {
    GridMask mask;
    std::string says;
  } cases[] = {
      {{.tile = 0}, "tile is 0; it must lie between 1 and 65535"},
      {{.tile = 65536}, "tile is 65536; it must lie between 1 and 65535"},
      {{.ratio = -0.1f}, "ratio is -0.1; it must lie between 0 and 1"},
      {{.ratio = 1.1f}, "ratio is 1.1; it must lie between 0 and 1"},
      {{.ratio = 2}, "ratio is 2; it must lie between 0 and 1"},
      {{.ratio = kNan}, "ratio is nan; it must lie between 0 and 1"},
      {{.degrees = kNan}, "degrees is nan; it must lie between -1000000 and 1000000"},
      {{.shift_x = 2e6f}, "shift_x is 2000000; it must lie between -1000000 and 1000000"},
      {{.shift_y = -2e6f}, "shift_y is -2000000; it must lie between -1000000 and 1000000"}};
  for (const auto& c : cases) kernel.refuses(with(c.mask), "grid_mask: " + c.says);
  return kernel;
}

ImageKernel paste() {
  ImageKernel kernel("paste");
  kernel.wide_sizes = {{9, 61}};
  kernel.every_level = true;
  constexpr int kFar = INT_MAX;
  // The pasted image is 4 x 9.
  const auto patch_for = [](const Image& in) {
    return make_image(4, 9, std::max(1, in.channels()), 7);
  };
  const auto mask = [] { return make_image(4, 9, 1, 5); };
  for (const PastePlace& place : {PastePlace{0, 0, 1},
                                  {1, 2, 0.3f},
                                  {-2, -1, 1},
                                  {2, 60, 0.5f},
                                  {-9, 0, 1},
                                  {kFar, -kFar, 1},
                                  {0, 0, 0}}) {
    for (const bool masked : {false, true}) {
      const auto run = [=](const Image& in, Image& out) {
        const Image weights = mask();
        kernels::paste(in, patch_for(in), masked ? &weights : nullptr, place, out);
      };
      const auto formula = [=](const Image& in) {
        const Image patch = patch_for(in), weights = mask();
        Levels out(in);
        out.fill([&](int y, int x, int c) {
          const std::int64_t row = std::int64_t{y} - place.y, column = std::int64_t{x} - place.x;
          const double base = in.at(y, x, c);
          if (row < 0 || column < 0 || row >= 4 || column >= 9) return base;
          const int r = static_cast<int>(row), k = static_cast<int>(column);
          const double weight =
              std::round(double{place.alpha} * (masked ? weights.at(r, k, 0) : 255.0));
          // There are no halves: 255 is odd.
          return std::round(base + (patch.at(r, k, c) - base) * weight / 255);
        });
        return out;
      };
      kernel.gives(std::string(masked ? "with" : "without") + " a mask, alpha " +
                       std::to_string(place.alpha) + " at " + std::to_string(place.y) + ", " +
                       std::to_string(place.x),
                   run, formula);
    }
  }
  kernel.refuses(
      [](const Image&, Image& out) {
        kernels::paste(make_image(3, 4, 3), make_image(3, 4, 1), nullptr, {}, out);
      },
      "paste: the image has 3 channels and the patch 1; convert one of them first");
  const auto refuses_mask = [&](int height, int width, int channels, const std::string& has) {
    kernel.refuses(
        [=](const Image&, Image& out) {
          const Image in = make_image(3, 4, 3), wrong = make_image(height, width, channels);
          kernels::paste(in, in, &wrong, {}, out);
        },
        "paste: the mask is " + has + "; it must be 3 x 4, as the patch, with one channel");
  };
  refuses_mask(2, 2, 1, "2 x 2 (height x width) with 1 channel");
  refuses_mask(3, 4, 3, "3 x 4 (height x width) with 3 channels");
  kernel.refuses(
      [](const Image& in, Image& out) {
        kernels::paste(in, in, nullptr, {0, 0, 1.5f}, out);
      },
      "paste: alpha is 1.5; it must lie between 0 and 1");
  return kernel;
}

// `in`, and more images of its shape. All are views with gaps between their rows.
struct Stack {
  Stack(const Image& in, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      if (in.empty()) {
        images.emplace_back();
      } else if (k == 0) {
        images.push_back(in.crop_view(0, 0, in.height(), in.width()));
      } else {
        whole.push_back(make_image(in.height() + 2, in.width() + 1, in.channels(),
                                   static_cast<std::uint32_t>(k) + 1));
        images.push_back(whole.back().crop_view(1, 1, in.height(), in.width()));
      }
    }
  }
  std::vector<Image> whole, images;
};

Levels summed(const Image& in, const std::vector<float>& weights) {
  const Stack stack(in, weights.size());
  Levels out(in);
  out.fill([&](int y, int x, int c) {
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k)
      sum += double{weights[k]} * stack.images[k].at(y, x, c);
    return std::min(sum, 255.0);
  });
  return out;
}

// Small odd sizes, and some that are wider than any vector.
std::vector<ImageSize> stack_sizes() {
  return {{1, 1}, {1, 2}, {2, 1}, {1, 17}, {13, 1}, {3, 3}, {11, 23}, {5, 97}, {9, 77}};
}

ImageKernel blend() {
  ImageKernel kernel("blend");
  kernel.sizes = stack_sizes();
  kernel.wide_sizes = {{4, 257}, {9, 61}, {5, 771}};
  const auto with = [](float weight) {
    return [=](const Image& in, Image& out) {
      const Stack stack(in, 2);
      kernels::blend(stack.images[0], stack.images[1], weight, out);
    };
  };
  for (const float weight : {0.f, 0.001f, 0.3f, 0.5f, 0.75f, 0.9999f, 1.f}) {
    kernel.gives(
        "weight " + std::to_string(weight), with(weight),
        [=](const Image& in) {
          return summed(in, {1 - weight, weight});
        },
        0.516);
  }
  const auto refuses_second = [&](int width, int channels, const std::string& has) {
    kernel.refuses(
        [=](const Image&, Image& out) {
          kernels::blend(make_image(4, 4, 3), make_image(4, width, channels), 0.5f, out);
        },
        "blend: one image is 4 x 4 with 3 channels, another one " + has +
            "; resize or crop them to one shape first");
  };
  refuses_second(4, 1, "4 x 4 with 1");
  refuses_second(5, 3, "4 x 5 with 3");
  kernel.refuses(with(1.5f), "blend: weight is 1.5; it must lie between 0 and 1");
  kernel.refuses(with(kNan), "blend: weight is nan; a finite number is needed");
  return kernel;
}

ImageKernel weighted_sum() {
  ImageKernel kernel("weighted_sum");
  kernel.sizes = stack_sizes();
  kernel.wide_sizes = {{4, 257}, {9, 61}, {5, 771}};
  for (const std::vector<float>& weights : {std::vector<float>{1.f},
                                            {0.25f},
                                            {0.2f, 0.5f, 0.3f},
                                            {0.1f, 0.2f, 0.3f, 0.15f, 0.25f},
                                            {1.f, 1.f, 0.5f},
                                            // A clipped sum stays clipped if more is added.
                                            {0.9f, 0.8f, 0.0004f, 0.61f}}) {
    std::string arguments = "weights";
    for (const float weight : weights) arguments += " " + std::to_string(weight);
    kernel.gives(
        arguments,
        [=](const Image& in, Image& out) {
          kernels::weighted_sum(Stack(in, weights.size()).images, weights, out);
        },
        [=](const Image& in) { return summed(in, weights); },
        0.5 + 0.008 * static_cast<double>(weights.size()));
  }
  const auto refuses = [&](std::size_t images, const std::vector<float>& weights,
                           const std::string& says) {
    kernel.refuses(
        [=](const Image& in, Image& out) {
          kernels::weighted_sum(Stack(in, images).images, weights, out);
        },
        "weighted_sum: " + says);
  };
  refuses(0, {}, "there are no images");
  refuses(2, {1.f}, "got 1 weight for 2 images; give one for each");
  refuses(65, std::vector<float>(65),
          "there are 65 images; 64 are the most, because each is rounded");
  refuses(2, {0.5f, -0.1f}, "weight is -0.1; it must lie between 0 and 1");
  kernel.refuses(
      [](const Image&, Image& out) {
        std::vector<Image> two;
        two.push_back(make_image(4, 4, 3));
        two.push_back(make_image(4, 5, 3));
        kernels::weighted_sum(two, std::vector<float>{0.5f, 0.5f}, out);
      },
      "weighted_sum: one image is 4 x 4 with 3 channels, another one 4 x 5 with 3; resize or crop "
      "them to one shape first");
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(Covers, ImageKernels,
                         ::testing::Values(erase(), coarse_dropout(), grid_mask(), paste(), blend(),
                                           weighted_sum()),
                         name_of_kernel);

TEST(Erase, RegionsInPixelsAndParts) {
  const struct {
    kernels::ErasedPart part;
    Rectangle region;  // of an image of 40 x 100
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

TEST(CoarseDropout, HolesLieInsideAndAnywhere) {
  const struct {
    CoarseDropout params;
    int height, width;  // of a hole in an image of 20 x 30
  } cases[] = {{{.holes = 200, .height = 18, .width = 29}, 18, 29},
               {{.holes = 200, .height = 17.5f, .width = 26.4f}, 18, 26},
               {{.holes = 200, .height = 0.9f, .width = 0.9f, .normalized = true}, 18, 27},
               {{.holes = 200, .height = 99, .width = 1e9f}, 20, 30}};
  for (const auto& c : cases) {
    Random random({.seed = 6});
    const auto holes = coarse_dropout_holes(random, 20, 30, c.params);
    ASSERT_EQ(holes.size(), 200u);
    std::vector<int> rows(21), columns(31);
    for (const Rectangle& hole : holes) {
      EXPECT_EQ(hole.height, c.height);
      EXPECT_EQ(hole.width, c.width);
      ++rows.at(static_cast<std::size_t>(hole.y));
      ++columns.at(static_cast<std::size_t>(hole.x));
    }
    for (int y = 0; y <= 20; ++y)
      EXPECT_EQ(rows.at(static_cast<std::size_t>(y)) > 0, y + c.height <= 20) << y;
    for (int x = 0; x <= 30; ++x)
      EXPECT_EQ(columns.at(static_cast<std::size_t>(x)) > 0, x + c.width <= 30) << x;
  }
}

TEST(RandomErasing, DrawsTheRequestedRectangles) {
  constexpr int kHeight = 150, kWidth = 200, kDraws = 20000;
  const RandomErasingParams params{.probability = 0.75};
  int drawn = 0, upper = 0, left = 0, high = 0;
  double area = 0;
  for (std::uint64_t sample = 0; sample < kDraws; ++sample) {
    Random random({.seed = 3, .sample = sample});
    const Rectangle r = random_erasing_region(random, kHeight, kWidth, params);
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

TEST(RandomErasing, NoRectangleIfNoneFits) {
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 300}, {300, 1}}) {
    Random random({.seed = 5});
    EXPECT_EQ(random_erasing_region(random, height, width, {.probability = 1}), Rectangle{});
  }
  Random random({.seed = 5});
  EXPECT_EQ(random_erasing_region(random, 50, 50, {.probability = 0}), Rectangle{});
}

TEST(RandomErasing, RefusesWrongArguments) {
  const struct {
    RandomErasingParams params;
    std::string says;
  } cases[] = {
      {{.probability = 1.5}, "probability 1.5, areas 0.02 .. 0.33, ratios 0.3 .. 3.3 and 10"},
      {{.min_area = 0}, "probability 0.5, areas 0 .. 0.33, ratios 0.3 .. 3.3 and 10"},
      {{.min_area = 0.5}, "probability 0.5, areas 0.5 .. 0.33, ratios 0.3 .. 3.3 and 10"},
      {{.min_ratio = -1}, "probability 0.5, areas 0.02 .. 0.33, ratios -1 .. 3.3 and 10"},
      {{.max_ratio = 0.1}, "probability 0.5, areas 0.02 .. 0.33, ratios 0.3 .. 0.1 and 10"},
      {{.attempts = -1}, "probability 0.5, areas 0.02 .. 0.33, ratios 0.3 .. 3.3 and -1"}};
  Random random({.seed = 5});
  for (const auto& c : cases) {
    EXPECT_EQ(refusal([&] { (void)random_erasing_region(random, 50, 50, c.params); }),
              "random_erasing: " + c.says +
                  " attempts are not possible; 0 <= probability <= 1, 0 < lowest <= highest and 0 "
                  "<= attempts are needed");
  }
}

// Edges lie between pixels, also after quarter turns. The shifts make all masks the same.
TEST(GridMask, QuarterTurnsHaveSharpEdges) {
  const Image in = constant_image(30, 30, 1, 9);
  const struct {
    float degrees, shift_x, shift_y;
  } cases[] = {{0, 0, 0}, {360, 10, -20}, {90, 0, 2}, {180, 2, 2}, {-90, 2, 0}};
  for (const auto& c : cases) {
    Image out;
    kernels::grid_mask(in,
                       {.tile = 10,
                        .ratio = 0.3f,
                        .degrees = c.degrees,
                        .shift_x = c.shift_x,
                        .shift_y = c.shift_y},
                       out);
    for (int y = 0; y < 30; ++y) {
      for (int x = 0; x < 30; ++x)
        ASSERT_EQ(out.at(y, x, 0), y % 10 < 3 && x % 10 < 3 ? 0 : 9)
            << c.degrees << " " << y << " " << x;
    }
  }
}

TEST(Blend, HalfOfTwoImagesIsExact) {
  Image a(256, 256, 1), b(256, 256, 1);
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) {
      a.row(y)[x] = static_cast<std::uint8_t>(y);
      b.row(y)[x] = static_cast<std::uint8_t>(x);
    }
  }
  Image out;
  kernels::blend(a, b, 0.5f, out);
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) ASSERT_EQ(out.row(y)[x], (x + y + 1) / 2) << y << " " << x;
  }
  kernels::blend(a, b, 0.f, out);
  EXPECT_EQ(out, a);
  kernels::blend(a, b, 1.f, out);
  EXPECT_EQ(out, b);
}

TEST(WeightedSum, WeightsThatAddUpToOneLeaveAFlatImage) {
  for (int level = 0; level < 256; ++level) {
    const Image flat = constant_image(2, 33, 1, level);
    std::vector<Image> images;
    for (int k = 0; k < 7; ++k) images.push_back(flat.clone());
    Image out;
    kernels::weighted_sum(images, std::vector<float>(7, 1.f / 7), out);
    EXPECT_EQ(out, flat) << level;
  }
}

TEST(Fill, OneValueIsForAllChannels) {
  const Fill fill = 255;
  for (int channel = 0; channel < 4; ++channel) EXPECT_EQ(fill[channel], 255);
}

TEST(Fill, ValuesAreInTheOrderOfChannels) {
  const Fill fill(1, 20, 255);
  EXPECT_EQ(fill[0], 1);
  EXPECT_EQ(fill[1], 20);
  EXPECT_EQ(fill[2], 255);
  EXPECT_EQ(fill[3], 0);
}

TEST(Fill, RefusesValuesThatAreNoBytes) {
  for (const int wrong : {-1, 256, 100000}) {
    EXPECT_EQ(refusal([&] { Fill(0, wrong, 0); }),
              "a fill value lies in 0 .. 255, not " + std::to_string(wrong));
  }
}

}  // namespace covers_test
}  // namespace sluice::testing
