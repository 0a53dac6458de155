// resize: against the reference, and the rules for its sizes and regions.
#include "tests/ops/kernels/image_kernel.h"
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/memory.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace resize_test {

using kernels::Box;
using kernels::plan_resize;
using kernels::resize;
using kernels::ResizeFilter;
using kernels::ResizeRequest;

const ResizeFilter kAll[] = {
    Interpolation::nearest,          Interpolation::box,
    Interpolation::bilinear,         Interpolation::hamming,
    Interpolation::bicubic,          Interpolation::lanczos,
    {Interpolation::box, false},     {Interpolation::bilinear, false},
    {Interpolation::hamming, false}, {Interpolation::bicubic, false},
    {Interpolation::lanczos, false},
};

std::string text_of(const ResizeFilter& filter) {
  return std::string(name_of(filter.interpolation)) + (filter.antialias ? "" : ", not antialiased");
}

struct Case {
  int height, width, out_height, out_width;
};
constexpr Case kCases[] = {
    {1, 1, 1, 1},     {1, 1, 5, 7},     {1, 9, 4, 4},       {9, 1, 4, 4},
    {7, 5, 1, 1},     {13, 17, 13, 9},  {13, 17, 6, 17},    {31, 33, 32, 32},
    {40, 50, 23, 31}, {16, 16, 64, 64}, {20, 30, 57, 41},   {300, 3, 2, 40},
    {3, 500, 40, 2},  {64, 48, 48, 64}, {101, 97, 100, 96}, {30, 25, 17, 33},
};

// Part of an image of 31 x 33 pixels, and the size to resize it to.
struct BoxCase {
  Box box;
  int height, width;
};
constexpr BoxCase kBoxes[] = {
    {{0, 0, 31, 33}, 31, 33},     {{0.5, 0.25, 30, 32.5}, 30, 20},  {{7.125, 3.5, 20.25, 9}, 40, 9},
    {{4, 5, 9, 11}, 9, 11},       {{30.25, 32.5, 0.75, 0.5}, 3, 2}, {{0.375, 0, 0.25, 33}, 1, 33},
    {{10.5, 0, 20.5, 33}, 5, 33}, {{0, 12.75, 31, 20.25}, 31, 7},
};

std::string text_of(const Box& box) {
  return std::to_string(box.height) + " x " + std::to_string(box.width) + " at (" +
         std::to_string(box.y) + ", " + std::to_string(box.x) + ")";
}

// The weights of the inputs for each output along one axis, as the reference has them.
using AxisWeights = std::vector<std::vector<std::pair<int, double>>>;

AxisWeights axis_weights(int length, double start, double part, int out_length,
                         const ResizeFilter& filter) {
  AxisWeights weights(static_cast<std::size_t>(out_length));
  for (int i = 0; i < length; ++i) {
    std::vector<double> one(static_cast<std::size_t>(length));
    one[static_cast<std::size_t>(i)] = 1;
    const std::vector<double> line = reference_line(one, start, part, out_length, filter);
    for (std::size_t k = 0; k < line.size(); ++k)
      if (line[k] != 0) weights[k].emplace_back(i, line[k]);
  }
  return weights;
}

// Columns first, then rows. Values are clipped after each pass and never rounded.
Levels resized(const Image& in, const Box& box, int height, int width, const ResizeFilter& filter) {
  const AxisWeights across = axis_weights(in.width(), box.x, box.width, width, filter);
  const AxisWeights down = axis_weights(in.height(), box.y, box.height, height, filter);
  Levels wide(in.height(), width, in.channels()), out(height, width, in.channels());
  wide.fill([&](int y, int x, int c) {
    double sum = 0;
    for (const auto& [column, weight] : across[static_cast<std::size_t>(x)])
      sum += weight * in.at(y, column, c);
    return std::clamp(sum, 0.0, 255.0);
  });
  out.fill([&](int y, int x, int c) {
    double sum = 0;
    for (const auto& [row, weight] : down[static_cast<std::size_t>(y)])
      sum += weight * wide.at(row, x, c);
    return std::clamp(sum, 0.0, 255.0);
  });
  return out;
}

// The kernel rounds after each pass. The second pass multiplies the first rounding by the sum of
// the absolute weights.
double tolerance_of(const ResizeFilter& filter) {
  switch (filter.interpolation) {
    case Interpolation::nearest:
      return 0;
    case Interpolation::bicubic:
    case Interpolation::lanczos:
      return 1.3;
    default:
      return 1.05;
  }
}

ImageKernel resizes() {
  ImageKernel kernel("resize");
  for (const ResizeFilter& filter : kAll) {
    for (const auto& [in_height, in_width, height, width] : kCases) {
      kernel.gives(
          "to " + std::to_string(height) + " x " + std::to_string(width) + ", " + text_of(filter),
          [height = height, width = width, filter](const Image& in, Image& out) {
            resize(in, height, width, filter, out);
          },
          [height = height, width = width, filter](const Image& in) {
            const Box all{0, 0, double(in.height()), double(in.width())};
            return resized(in, all, height, width, filter);
          },
          tolerance_of(filter), {{in_height, in_width}});
    }
    for (const auto& [box, height, width] : kBoxes) {
      kernel.gives(
          text_of(box) + " to " + std::to_string(height) + " x " + std::to_string(width) + ", " +
              text_of(filter),
          [box = box, height = height, width = width, filter](const Image& in, Image& out) {
            resize(in, box, height, width, filter, out);
          },
          [box = box, height = height, width = width, filter](const Image& in) {
            return resized(in, box, height, width, filter);
          },
          tolerance_of(filter), {{31, 33}});
    }
  }
  const auto to = [](int height, int width) {
    return [=](const Image& in, Image& out) {
      resize(in, height, width, Interpolation::bilinear, out);
    };
  };
  kernel.refuses(to(4, 65536),
                 "resize: a size of 4 x 65536 (height x width) is not possible; each must lie in "
                 "1 .. 65535");
  kernel.refuses(to(0, 4),
                 "resize: a size of 0 x 4 (height x width) is not possible; each must lie in 1 .. "
                 "65535");
  const std::pair<Box, const char*> outside[] = {
      {{-0.5, 0, 5, 5}, "5 x 5 at (-0.5, 0)"}, {{0, -0.5, 5, 5}, "5 x 5 at (0, -0.5)"},
      {{0, 0, 0, 5}, "0 x 5 at (0, 0)"},       {{0, 0, 5, -1}, "5 x -1 at (0, 0)"},
      {{5.5, 0, 5, 5}, "5 x 5 at (5.5, 0)"},   {{0, 15.5, 5, 5}, "5 x 5 at (0, 15.5)"}};
  for (const auto& [box, text] : outside) {
    kernel.refuses(
        [box = box](const Image&, Image& out) {
          resize(make_image(10, 20, 3), box, 4, 4, Interpolation::bilinear, out);
        },
        "resize: a box of " + std::string(text) +
            " does not lie inside the image of 10 x 20 pixels (height x width, row and column)");
  }
  return kernel;
}

// Each pixel shows the pixel of the small image in whose area its center lies.
Levels downscaled(const Image& in, int height, int width, Interpolation interpolation) {
  const Box all{0, 0, double(in.height()), double(in.width())};
  const Levels small = resized(in, all, height, width, interpolation);
  Levels out(in);
  out.fill([&](int y, int x, int c) {
    return small.at((2 * y + 1) * height / (2 * in.height()),
                    (2 * x + 1) * width / (2 * in.width()), c);
  });
  return out;
}

ImageKernel downscale() {
  ImageKernel kernel("downscale");
  const auto with = [](float scale, Interpolation interpolation) {
    return [=](const Image& in, Image& out) { kernels::downscale(in, scale, interpolation, out); };
  };
  const struct {
    float scale;
    ImageSize size, small;
  } cases[] = {{1, {13, 17}, {13, 17}},   {0.5f, {16, 24}, {8, 12}}, {0.5f, {13, 17}, {7, 9}},
               {0.25f, {11, 29}, {3, 7}}, {0.3f, {20, 1}, {6, 1}},   {1e-30f, {5, 7}, {1, 1}},
               {0.9f, {1, 1}, {1, 1}}};
  for (const Interpolation interpolation : {Interpolation::nearest, Interpolation::box}) {
    for (const auto& c : cases) {
      kernel.gives("scale " + std::to_string(c.scale) + ", " + name_of(interpolation),
                   with(c.scale, interpolation),
                   [=, small = c.small](const Image& in) {
                     return downscaled(in, small.height, small.width, interpolation);
                   },
                   tolerance_of(interpolation), {c.size});
    }
  }
  const std::pair<float, const char*> wrong[] = {{0.f, "0"}, {-0.5f, "-0.5"}, {1.5f, "1.5"}};
  for (const auto& [scale, text] : wrong) {
    kernel.refuses(with(scale, Interpolation::nearest), "downscale: scale is " + std::string(text) +
                                                            "; it must be above 0 and at most 1");
  }
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(Resize, ImageKernels, ::testing::Values(resizes(), downscale()),
                         name_of_kernel);

TEST(Resize, KeepsConstantImages) {
  for (const ResizeFilter& filter : kAll) {
    for (const int value : {0, 1, 127, 254, 255}) {
      for (const Case& c : kCases) {
        Image out;
        resize(constant_image(c.height, c.width, 3, value), c.out_height, c.out_width, filter, out);
        EXPECT_EQ(out, constant_image(c.out_height, c.out_width, 3, value))
            << c.height << " x " << c.width << " to " << c.out_height << " x " << c.out_width << " "
            << text_of(filter) << " value " << value;
      }
    }
  }
}

TEST(Resize, SameSizeIsACopy) {
  for (const ResizeFilter& filter : kAll) {
    const Image in = make_image(19, 23, 3);
    Image out;
    resize(in, 19, 23, filter, out);
    EXPECT_EQ(out, in) << text_of(filter);
  }
}

TEST(Resize, TakesOnlyTheOutputFromThePool) {
  const Image in = make_image(40, 40, 3);
  Image out;
  resize(in, 20, 20, Interpolation::bilinear, out);
  // A new pool, because a used one may lend a larger block.
  BufferPool pool;
  BufferPoolScope outer(pool);
  const Image same_size(20, 20, 3);
  BufferPoolScope scope(pool);
  resize(in, 20, 20, Interpolation::bilinear, out);
  EXPECT_EQ(scope.bytes_allocated(), outer.bytes_allocated());
}

TEST(Interpolation, EachHasItsOwnName) {
  std::set<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(Interpolation::lanczos); ++kind) {
    const std::string name = name_of(static_cast<Interpolation>(kind));
    for (const char letter : name) EXPECT_TRUE(std::islower(letter)) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
  }
  EXPECT_EQ(names.size(), 6U);
  EXPECT_EQ(names.count("bilinear"), 1U);
}

TEST(ResizeFilter, AnInterpolationAloneIsAntialiased) {
  const ResizeFilter filter = Interpolation::bicubic;
  EXPECT_EQ(filter.interpolation, Interpolation::bicubic);
  EXPECT_TRUE(filter.antialias);
  EXPECT_EQ(ResizeFilter(), ResizeFilter(Interpolation::bilinear, true));
  EXPECT_NE(ResizeFilter(), ResizeFilter(Interpolation::bilinear, false));
}

// Stripes of one pixel. Every third pixel is at the center of an output pixel.
TEST(ResizeFilter, WithoutAntialiasOnlyTheNearestPixelsCount) {
  constexpr int kWidth = 27;
  Image stripes(1, kWidth, 1);
  for (int x = 0; x < kWidth; ++x) stripes.row(0)[x] = x % 2 == 0 ? 0 : 255;
  for (const Interpolation interpolation : {Interpolation::box, Interpolation::bilinear,
                                            Interpolation::bicubic, Interpolation::lanczos}) {
    Image aliased, smooth;
    resize(stripes, 1, kWidth / 3, {interpolation, false}, aliased);
    resize(stripes, 1, kWidth / 3, interpolation, smooth);
    for (int x = 0; x < kWidth / 3; ++x) {
      EXPECT_EQ(aliased.at(0, x, 0), x % 2 == 0 ? 255 : 0) << name_of(interpolation) << " " << x;
      EXPECT_GT(smooth.at(0, x, 0), 60) << name_of(interpolation) << " " << x;
      EXPECT_LT(smooth.at(0, x, 0), 195) << name_of(interpolation) << " " << x;
    }
  }
}

// Antialiasing has no effect on an image that grows.
TEST(ResizeFilter, ChangesNothingIfTheImageGrows) {
  Image in(5, 4, 3);
  for (int y = 0; y < 5; ++y) {
    for (int i = 0; i < 12; ++i) in.row(y)[i] = static_cast<std::uint8_t>(y * 53 + i * 91);
  }
  Image one, other;
  resize(in, 13, 9, {Interpolation::bicubic, false}, one);
  resize(in, 13, 9, {Interpolation::bicubic, true}, other);
  EXPECT_EQ(one, other);
}

TEST(ResizePlan, KnownSizes) {
  const struct {
    ResizeRequest request;
    int height, width;
    ImageSize expected;
  } cases[] = {
      // One side; both sides; sides with a limit.
      {{.width = 2}, 3, 1, {6, 2}},
      {{.height = 100}, 480, 640, {100, 133}},
      {{.height = 100, .width = 100}, 480, 640, {100, 100}},
      {{.height = 100, .width = 300, .max_size = 200}, 480, 640, {100, 200}},
      {{.height = 300, .max_size = 320}, 480, 640, {240, 320}},
      {{.width = 320, .max_size = 320}, 480, 640, {240, 320}},
      {{.width = 1}, 3, 640, {1, 1}},
      // The shorter side. The longer side is rounded down.
      {{.shorter = 256}, 375, 500, {256, 341}},
      {{.shorter = 256}, 500, 375, {341, 256}},
      {{.shorter = 256}, 7, 7, {256, 256}},
      {{.shorter = 256, .max_size = 300}, 375, 500, {225, 300}},
      {{.shorter = 800, .max_size = 1333}, 480, 1000, {640, 1333}},
      {{.shorter = 4, .max_size = 2}, 1, 100, {1, 2}},
      // A side that is not given keeps its length.
      {{.height = 100, .mode = ResizeMode::stretch}, 480, 640, {100, 640}},
      {{.width = 900, .mode = ResizeMode::stretch, .max_size = 450}, 480, 640, {450, 450}},
      {{.height = 1, .width = 2, .mode = ResizeMode::stretch}, 480, 640, {1, 2}},
      // The largest size within both sides, and the smallest around them.
      {{.height = 300, .width = 300, .mode = ResizeMode::not_larger}, 480, 640, {225, 300}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_larger}, 640, 480, {300, 225}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_smaller}, 480, 640, {300, 400}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_smaller}, 640, 480, {400, 300}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_smaller, .max_size = 360},
       480,
       640,
       {270, 360}},
      {{.width = 320, .mode = ResizeMode::not_larger}, 480, 640, {240, 320}},
      {{.height = 240, .mode = ResizeMode::not_smaller}, 480, 640, {240, 320}},
      // The size of a region.
      {{.width = 50,
        .roi_start_y = 100,
        .roi_start_x = 10.5f,
        .roi_end_y = 125,
        .roi_end_x = 35.5f},
       480,
       640,
       {50, 50}},
      {{.shorter = 50, .roi_start_x = 0.5f, .roi_end_y = 0.25f, .roi_relative = true},
       480,
       640,
       {50, 133}},
      {{.height = 7, .mode = ResizeMode::stretch, .roi_end_x = 12.4f}, 480, 640, {7, 12}},
  };
  for (const auto& [request, height, width, expected] : cases) {
    const ImageSize size = plan_resize(request, height, width).size;
    EXPECT_TRUE(size == expected) << size.height << "x" << size.width << " for " << expected.height
                                  << "x" << expected.width;
  }
}

TEST(ResizePlan, NotLargerAndNotSmallerHoldForAllShapes) {
  for (int height = 1; height <= 40; height += 3) {
    for (int width = 1; width <= 40; width += 2) {
      for (int to = 1; to <= 50; to += 7) {
        const ImageSize in =
            plan_resize({.height = to, .width = 2 * to, .mode = ResizeMode::not_larger}, height,
                        width)
                .size;
        EXPECT_LE(in.height, to);
        EXPECT_LE(in.width, 2 * to);
        EXPECT_TRUE(in.height == to || in.width == 2 * to);
        const ImageSize around =
            plan_resize({.height = to, .width = 2 * to, .mode = ResizeMode::not_smaller}, height,
                        width)
                .size;
        EXPECT_GE(around.height, to);
        EXPECT_GE(around.width, 2 * to);
        EXPECT_TRUE(around.height == to || around.width == 2 * to);
      }
    }
  }
}

TEST(ResizePlan, RegionsInPixelsAndShares) {
  const Box pixels =
      plan_resize({.height = 1, .roi_start_y = 2.5f, .roi_end_y = 7, .roi_end_x = 3}, 10, 4).box;
  EXPECT_EQ(pixels.y, 2.5);
  EXPECT_EQ(pixels.height, 4.5);
  EXPECT_EQ(pixels.x, 0);
  EXPECT_EQ(pixels.width, 3);
  const Box shares =
      plan_resize({.height = 1, .roi_start_x = 0.5f, .roi_end_y = 1, .roi_relative = true}, 10, 4)
          .box;
  EXPECT_EQ(shares.y, 0);
  EXPECT_EQ(shares.height, 10);
  EXPECT_EQ(shares.x, 2);
  EXPECT_EQ(shares.width, 2);
}

TEST(ResizePlan, RefusesRegionsThatAreEmptyOrOutside) {
  const std::pair<ResizeRequest, const char*> cases[] = {
      {{.height = 1, .roi_end_x = 5}, "x 0 to 5, but the image's x goes from 0 to 4"},
      {{.height = 1, .roi_start_y = 5, .roi_end_y = 5},
       "y 5 to 5, but the image's y goes from 0 to 10"},
      {{.height = 1, .roi_start_y = 10}, "y 10 to 10, but the image's y goes from 0 to 10"},
      {{.height = 1, .roi_start_y = -1}, "y -1 to 10, but the image's y goes from 0 to 10"},
      {{.height = 1, .roi_end_y = 1.5f, .roi_relative = true},
       "y 0 to 15, but the image's y goes from 0 to 10"},
      {{.height = 1, .roi_start_y = std::nanf("")},
       "y nan to 10, but the image's y goes from 0 to 10"}};
  for (const auto& [request, text] : cases) {
    EXPECT_EQ(refusal([&request = request] { (void)plan_resize(request, 10, 4); }),
              "resize: the region of interest goes from " + std::string(text) +
                  "; the start must lie before the end, and both inside");
  }
}

}  // namespace resize_test
}  // namespace sluice::testing
