// Kernels that move whole pixels, and the regions that they take.
#include "tests/ops/kernels/image_kernel.h"
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/option_types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace moves_test {

using kernels::center_crop_region;
using kernels::ExpandParams;
using kernels::Margins;
using kernels::random_resized_crop_region;
using kernels::RandomCropParams;
using kernels::resize_shorter_size;

constexpr int kFar = 2147483647;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Color = std::array<int, 4>;
constexpr Color kColor = {7, 77, 177, 250};

Fill fill_of(const Color& color) { return {color[0], color[1], color[2], color[3]}; }

std::string text_of(const Rectangle& region) {
  return "y=" + std::to_string(region.y) + " x=" + std::to_string(region.x) +
         " height=" + std::to_string(region.height) + " width=" + std::to_string(region.width);
}

struct Pixel {
  std::int64_t row, column;
};

// An image whose pixel (y, x) is the pixel source(y, x) of `in`, or `color` if there is none.
template <class F>
Levels pixels_from(const Image& in, std::int64_t height, std::int64_t width, const F& source,
                   const Color& color = kColor) {
  Levels out(static_cast<int>(height), static_cast<int>(width), in.channels());
  out.fill([&](int y, int x, int c) -> int {
    const Pixel p = source(y, x);
    const bool inside = p.row >= 0 && p.column >= 0 && p.row < in.height() && p.column < in.width();
    return inside ? in.at(static_cast<int>(p.row), static_cast<int>(p.column), c)
                  : color[static_cast<std::size_t>(c)];
  });
  return out;
}

ImageKernel flip() {
  ImageKernel kernel("flip");
  kernel.sizes = {{1, 1}, {1, 6}, {5, 1},  {7, 9},  {8, 33}, {1, 4},
                  {1, 5}, {2, 8}, {2, 11}, {1, 16}, {2, 17}};
  for (int width = 1; width <= 40; ++width) kernel.sizes.push_back({2, width});
  for (const bool horizontal : {false, true}) {
    for (const bool vertical : {false, true}) {
      kernel.gives(
          std::string(horizontal ? "horizontal" : "") + (vertical ? " vertical" : ""),
          [=](const Image& in, Image& out) { kernels::flip(in, horizontal, vertical, out); },
          [=](const Image& in) {
            return pixels_from(in, in.height(), in.width(), [&](int y, int x) {
              return Pixel{vertical ? in.height() - 1 - y : y, horizontal ? in.width() - 1 - x : x};
            });
          });
    }
  }
  return kernel;
}

const std::vector<ImageSize> kTurnSizes = {{1, 1},   {1, 6},   {5, 1},   {4, 4},  {4, 5},
                                           {5, 6},   {6, 5},   {6, 7},   {7, 9},  {8, 8},
                                           {16, 17}, {18, 16}, {31, 32}, {33, 70}};

ImageKernel transpose() {
  ImageKernel kernel("transpose");
  kernel.sizes = kTurnSizes;
  kernel.gives("", kernels::transpose, [](const Image& in) {
    return pixels_from(in, in.width(), in.height(), [](int y, int x) { return Pixel{x, y}; });
  });
  return kernel;
}

// Quarter turns, which rotate() uses.
ImageKernel turns() {
  ImageKernel kernel("rotate");
  kernel.sizes = kTurnSizes;
  kernel.gives("left", kernels::turn_left, [](const Image& in) {
    return pixels_from(in, in.width(), in.height(), [&](int y, int x) {
      return Pixel{x, in.width() - 1 - y};
    });
  });
  kernel.gives("right", kernels::turn_right, [](const Image& in) {
    return pixels_from(in, in.width(), in.height(), [&](int y, int x) {
      return Pixel{in.height() - 1 - x, y};
    });
  });
  return kernel;
}

// As NumPy makes them: np.rot90 step by step, and np.fliplr before.
Levels turned_in_steps(const Image& in, bool flipped, int turns) {
  Levels now(in);
  if (flipped) now.fill([&](int y, int x, int c) { return in.at(y, in.width() - 1 - x, c); });
  for (; turns > 0; --turns) {
    const Levels before = now;
    now = Levels(before.width, before.height, before.channels);
    now.fill([&](int y, int x, int c) { return before.at(x, before.width - 1 - y, c); });
  }
  return now;
}

ImageKernel rot90() {
  ImageKernel kernel("rot90");
  kernel.sizes = kTurnSizes;
  for (const int turns : {0, 1, 2, 3, 4, 7, -1, -2, -7, kFar, -kFar - 1}) {
    kernel.gives(
        std::to_string(turns) + " turns",
        [=](const Image& in, Image& out) { kernels::rot90(in, turns, out); },
        [=](const Image& in) {
          return turned_in_steps(in, false,
                                 static_cast<int>((turns + (std::int64_t{1} << 32)) % 4));
        });
  }
  return kernel;
}

ImageKernel d4() {
  ImageKernel kernel("d4");
  kernel.sizes = kTurnSizes;
  const auto with = [](int element) {
    return [=](const Image& in, Image& out) { kernels::d4(in, element, out); };
  };
  for (int element = 0; element < 8; ++element) {
    kernel.gives(std::to_string(element), with(element),
                 [=](const Image& in) { return turned_in_steps(in, element >= 4, element % 4); });
  }
  kernel.gives("5 is the transpose", with(5), [](const Image& in) {
    return pixels_from(in, in.width(), in.height(), [](int y, int x) { return Pixel{x, y}; });
  });
  kernel.gives("6 is a vertical flip", with(6), [](const Image& in) {
    return pixels_from(in, in.height(), in.width(), [&](int y, int x) {
      return Pixel{in.height() - 1 - y, x};
    });
  });
  for (const int element : {-1, 8}) {
    kernel.refuses(with(element),
                   "d4: element is " + std::to_string(element) + "; it must lie between 0 and 7");
  }
  return kernel;
}

ImageKernel crop() {
  ImageKernel kernel("crop");
  kernel.every_level = true;
  const auto formula = [](const Rectangle& region) {
    return [=](const Image& in) {
      return pixels_from(in, region.height, region.width, [&](int y, int x) {
        return Pixel{std::int64_t{region.y} + y, std::int64_t{region.x} + x};
      });
    };
  };
  const auto with = [](const Rectangle& region) {
    return [=](const Image& in, Image& out) { kernels::crop(in, region, out); };
  };
  for (const Rectangle& region :
       {Rectangle{0, 0, 20, 30}, {0, 0, 1, 1}, {19, 29, 1, 1}, {3, 5, 10, 7}})
    kernel.gives(text_of(region), with(region), formula(region), 0, {{20, 30}});
  const auto padded = [](const Rectangle& region) {
    return [=](const Image& in, Image& out) {
      kernels::crop_padded(in, region, fill_of(kColor), out);
    };
  };
  for (const Rectangle& region : {Rectangle{0, 0, 1, 1},
                                  {-2, -3, 4, 6},
                                  {1, 1, 9, 200},
                                  {-9, 40, 5, 5},
                                  {kFar, 0, 2, 2},
                                  {0, -kFar - 1, 2, 3}})
    kernel.gives("padded, " + text_of(region), padded(region), formula(region));
  // In an image of 20 x 30 pixels.
  for (const Rectangle& region : {Rectangle{0, 0, 21, 30},
                                  {0, 0, 20, 31},
                                  {-1, 0, 5, 5},
                                  {0, -1, 5, 5},
                                  {0, 0, 0, 5},
                                  {0, 0, 5, -5},
                                  {kFar, 0, 1, 1},
                                  {16, 0, 5, 5}}) {
    kernel.refuses(
        [=](const Image&, Image& out) { kernels::crop(make_image(20, 30, 3), region, out); },
        "crop: the region " + text_of(region) +
            " does not lie inside the image of 20 x 30 (height x width)");
  }
  kernel.refuses(padded({0, 0, 0, 1}),
                 "crop: a size of 0 x 1 (height x width) is not possible; each must lie in 1 .. "
                 "65535");
  return kernel;
}

TEST(Crop, IsACopyWithoutGaps) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = make_image(20, 30, channels);
    Image out;
    for (const Rectangle& w :
         {Rectangle{0, 0, 20, 30}, {0, 0, 1, 1}, {19, 29, 1, 1}, {3, 5, 10, 7}}) {
      kernels::crop(in, w, out);
      EXPECT_TRUE(out.contiguous());
      EXPECT_NE(out.data(), in.data());
    }
    // A region of a view counts from the corner of the view.
    kernels::crop(in.crop_view(4, 6, 10, 12), {1, 2, 3, 4}, out);
    EXPECT_EQ(out, in.crop_view(5, 8, 3, 4));
  }
}

TEST(TrimmedRegion, KnownValues) {
  const struct {
    Rectangle region, expected;
  } cases[] = {{{0, 0, 5, 7}, {0, 0, 5, 7}},
               {{-2, -3, 4, 6}, {0, 0, 2, 3}},
               {{4, 6, 100, 100}, {4, 6, 1, 1}},
               {{-1, 2, kFar, kFar}, {0, 2, 5, 5}}};
  for (const auto& [region, expected] : cases) EXPECT_EQ(kernels::trimmed(region, 5, 7), expected);
  const std::pair<Rectangle, const char*> refused[] = {
      {{5, 0, 2, 3}, "2 x 3 (height x width) at y = 5, x = 0"},
      {{-2, 0, 2, 2}, "2 x 2 (height x width) at y = -2, x = 0"},
      {{0, 7, 1, 1}, "1 x 1 (height x width) at y = 0, x = 7"},
      {{1, 1, 0, 3}, "0 x 3 (height x width) at y = 1, x = 1"},
      {{1, 1, 3, -1}, "3 x -1 (height x width) at y = 1, x = 1"}};
  for (const auto& [region, text] : refused) {
    EXPECT_EQ(refusal([&region = region] { (void)kernels::trimmed(region, 5, 7); }),
              "crop: a region of " + std::string(text) + " lies outside of the image of 5 x 7");
  }
}

// The reference steps back from the border until it is inside.
int mirrored(int at, int length) {
  if (length == 1) return 0;
  while (at < 0 || at >= length) at = at < 0 ? -at : 2 * (length - 1) - at;
  return at;
}

ImageKernel pad() {
  ImageKernel kernel("pad_image");
  kernel.sizes = {{1, 1}, {1, 7}, {5, 1}, {2, 3}, {11, 13}};
  const auto with = [](const Margins& m, Border border, const Color& color) {
    return [=](const Image& in, Image& out) { kernels::pad(in, m, border, fill_of(color), out); };
  };
  for (const Margins& m : {Margins{}, {1, 2, 3, 4}, {0, 5, 0, 0}, {0, 0, 9, 0}, {12, 30, 25, 14}}) {
    for (const Border border : {Border::constant, Border::edge, Border::reflect}) {
      for (const Color& color : {kColor, {99, 99, 99, 99}}) {
        kernel.gives(std::string(name_of(border)) + ", left " + std::to_string(m.left) + ", fill " +
                         std::to_string(color[0]),
                     with(m, border, color), [=](const Image& in) {
                       const auto source = [&](int y, int x) {
                         const int row = y - m.top, column = x - m.left;
                         if (border == Border::reflect)
                           return Pixel{mirrored(row, in.height()), mirrored(column, in.width())};
                         if (border == Border::constant) return Pixel{row, column};
                         return Pixel{std::clamp(row, 0, in.height() - 1),
                                      std::clamp(column, 0, in.width() - 1)};
                       };
                       return pixels_from(in, in.height() + m.top + m.bottom,
                                          in.width() + m.left + m.right, source, color);
                     });
      }
    }
  }
  kernel.refuses(with({1, 1, -1, 0}, Border::constant, {}),
                 "pad_image: right must lie between 0 and 65535, not -1");
  kernel.refuses(with({0, 65536, 0, 0}, Border::constant, {}),
                 "pad_image: top must lie between 0 and 65535, not 65536");
  kernel.refuses(with({65535, 0, 0, 0}, Border::constant, {}),
                 "pad_image: a size of 4 x 65539 (height x width) is not possible; each must lie "
                 "in 1 .. 65535");
  return kernel;
}

TEST(Pad, MarginsUpToASize) {
  const auto expect = [](const Margins& got, const Margins& expected) {
    EXPECT_EQ(got.left, expected.left);
    EXPECT_EQ(got.top, expected.top);
    EXPECT_EQ(got.right, expected.right);
    EXPECT_EQ(got.bottom, expected.bottom);
  };
  expect(kernels::margins_up_to({1, 2, 3, 4}, 10, 20, 0, 0), {1, 2, 3, 4});
  expect(kernels::margins_up_to({1, 2, 3, 4}, 10, 20, 16, 24), {1, 2, 3, 4});
  expect(kernels::margins_up_to({1, 2, 3, 4}, 10, 20, 17, 26), {1, 2, 5, 5});
  expect(kernels::margins_up_to({}, 10, 20, 5, 224), {0, 0, 204, 0});
  EXPECT_EQ(refusal([] {
              (void)kernels::margins_up_to({-kFar, 0, 0, 0}, 1, 1, 1, 65535);
            }),
            "pad_image: left must lie between 0 and 65535, not -2147483647");
}

// An image on a larger canvas.
ImageKernel expand() {
  ImageKernel kernel("expand");
  kernel.every_level = true;
  const auto with = [](const ExpandParams& params) {
    return [=](const Image& in, Image& out) { kernels::expand(in, params, fill_of(kColor), out); };
  };
  for (const ExpandParams& params :
       {ExpandParams{1, 0, 0}, {1.5f, 0.5f, 0.5f}, {3.7f, 1, 0.25f}, {2, 0, 1}}) {
    kernel.gives("ratio " + std::to_string(params.ratio), with(params), [=](const Image& in) {
      const double ratio = double{params.ratio};
      const auto height = std::lround(in.height() * ratio), width = std::lround(in.width() * ratio);
      const auto top = std::lround(static_cast<double>(height - in.height()) * double{params.y});
      const auto left = std::lround(static_cast<double>(width - in.width()) * double{params.x});
      return pixels_from(in, height, width, [&](int y, int x) { return Pixel{y - top, x - left}; });
    });
  }
  kernel.refuses(with({0.5f, 0, 0}), "expand: ratio is 0.5; it must be at least 1");
  kernel.refuses(with({2, 0, 1.5f}), "expand: x is 1.5; it must lie between 0 and 1");
  kernel.refuses(with({kNan, 0, 0}), "expand: ratio is nan; it must be at least 1");
  kernel.refuses(with({60000, 0, 0}),
                 "expand: a size of 240000 x 240000 (height x width) is not possible; each must "
                 "lie in 1 .. 65535");
  return kernel;
}

TEST(Border, HasNames) {
  EXPECT_EQ(std::string(name_of(Border::constant)), "constant");
  EXPECT_EQ(std::string(name_of(Border::edge)), "edge");
  EXPECT_EQ(std::string(name_of(Border::reflect)), "reflect");
}

INSTANTIATE_TEST_SUITE_P(Moves, ImageKernels,
                         ::testing::Values(flip(), transpose(), turns(), rot90(), d4(), crop(),
                                           pad(), expand()),
                         name_of_kernel);

TEST(RandomResizedCropRegion, StaysInsideAndWithinItsRanges) {
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
      // Rounding to whole pixels changes the area and the shape a little.
      const double area = 1.0 * w.height * w.width / (1.0 * height * width);
      ASSERT_GT(area, 0.08 - 0.01);
      ASSERT_LE(area, 1.0);
      const double ratio = 1.0 * w.width / w.height;
      ASSERT_GT(ratio, 0.75 - 0.02);
      ASSERT_LT(ratio, 4.0 / 3.0 + 0.03);
    }
  }
}

TEST(RandomResizedCropRegion, AreaIsUniformAndShapeLogUniform) {
  // Small regions always fit. No draw is repeated, so the means are those of the distributions.
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

TEST(RandomResizedCropRegion, IsAFunctionOfTheKey) {
  Random a({.seed = 1, .epoch = 2, .sample = 3, .generator = 4});
  Random b({.seed = 1, .epoch = 2, .sample = 3, .generator = 4});
  EXPECT_EQ(random_resized_crop_region(a, 375, 500), random_resized_crop_region(b, 375, 500));
}

TEST(RandomResizedCropRegion, FallsBackToTheMiddle) {
  const RandomCropParams none{.attempts = 0};
  Random random({});
  // Too tall: full width, height = width / (3/4). Too wide: full height, width = height * 4/3.
  EXPECT_EQ(random_resized_crop_region(random, 1000, 30, none), (Rectangle{480, 0, 40, 30}));
  EXPECT_EQ(random_resized_crop_region(random, 30, 1000, none), (Rectangle{0, 480, 30, 40}));
  EXPECT_EQ(random_resized_crop_region(random, 90, 100, none), (Rectangle{0, 0, 90, 100}));
  EXPECT_EQ(random_resized_crop_region(random, 1, 1, none), (Rectangle{0, 0, 1, 1}));
  // An area larger than the image never fits.
  const RandomCropParams huge{.scale_low = 5, .scale_high = 6};
  EXPECT_EQ(random_resized_crop_region(random, 90, 100, huge), (Rectangle{0, 0, 90, 100}));
  const RandomCropParams flat{.ratio_low = 1e-30, .ratio_high = 1e-30};
  EXPECT_EQ(random_resized_crop_region(random, 90, 100, flat).width, 1);
}

std::string size_message(const std::string& op, const std::string& size) {
  return op + ": a size of " + size +
         " (height x width) is not possible; each must lie in 1 .. 65535";
}

TEST(RandomResizedCropRegion, RefusesImpossibleRanges) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Random random({});
  const std::pair<RandomCropParams, const char*> ranges[] = {
      {{.scale_low = 0}, "scale range 0 .. 1"},
      {{.scale_low = 0.5, .scale_high = 0.4}, "scale range 0.5 .. 0.4"},
      {{.ratio_low = -1}, "ratio range -1 .. 1.3333333333333333"},
      {{.ratio_high = 0.1}, "ratio range 0.75 .. 0.1"},
      {{.scale_low = kNone}, "scale range nan .. 1"},
      {{.ratio_high = kNone}, "ratio range 0.75 .. nan"}};
  for (const auto& [params, range] : ranges) {
    EXPECT_EQ(refusal([&, &p = params] { (void)random_resized_crop_region(random, 10, 10, p); }),
              "random_resized_crop: the " + std::string(range) +
                  " is not possible; 0 < lowest <= highest is needed");
  }
  EXPECT_EQ(refusal([&] { (void)random_resized_crop_region(random, 10, 10, {.attempts = -1}); }),
            "random_resized_crop: attempts is -1; 0 or more is needed");
  EXPECT_EQ(refusal([&] { (void)random_resized_crop_region(random, 0, 10); }),
            size_message("random_resized_crop", "0 x 10"));
}

TEST(CenterCropRegion, RoundsHalvesToEven) {
  EXPECT_EQ(center_crop_region(256, 341, 224, 224), (Rectangle{16, 58, 224, 224}));  // 58.5
  EXPECT_EQ(center_crop_region(256, 343, 224, 224), (Rectangle{16, 60, 224, 224}));  // 59.5
  EXPECT_EQ(center_crop_region(5, 4, 4, 4), (Rectangle{0, 0, 4, 4}));                // 0.5
  EXPECT_EQ(center_crop_region(7, 7, 7, 7), (Rectangle{0, 0, 7, 7}));
  const auto too_large = [](const std::string& crop, const std::string& image) {
    return "center_crop: a crop of " + crop + " (height x width) does not fit into an image of " +
           image + "; resize it first";
  };
  EXPECT_EQ(refusal([] { (void)center_crop_region(256, 200, 224, 224); }),
            too_large("224 x 224", "256 x 200"));
  EXPECT_EQ(refusal([] { (void)center_crop_region(256, 256, 0, 224); }),
            too_large("0 x 224", "256 x 256"));
}

TEST(ResizeShorterSize, RoundsTheLongerSideDown) {
  EXPECT_EQ(resize_shorter_size(375, 500, 256), (ImageSize{256, 341}));  // 341.33
  EXPECT_EQ(resize_shorter_size(500, 375, 256), (ImageSize{341, 256}));
  EXPECT_EQ(resize_shorter_size(333, 500, 256), (ImageSize{256, 384}));  // 384.38
  EXPECT_EQ(resize_shorter_size(100, 100, 256), (ImageSize{256, 256}));
  EXPECT_EQ(refusal([] { (void)resize_shorter_size(100, 100, 0); }),
            size_message("resize_shorter", "0 x 0"));
  EXPECT_EQ(refusal([] { (void)resize_shorter_size(1, 60000, 256); }),
            size_message("resize_shorter", "256 x 15360000"));
}

}  // namespace moves_test
}  // namespace sluice::testing
