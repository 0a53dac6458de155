// The inner loops of the warps: rows of places, and the pixels there. Also random_perspective.
#include "tests/every_target.h"
#include "tests/ops/kernels/image_kernel.h"
#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/small_images.h"
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/remap_rows.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace places_test {

using kernels::warp_row;
using kernels::WarpLine;
using kernels::WarpOptions;

// Numbers with few bits, so that the formula in double precision gives exactly the same places.
const WarpLine kLines[] = {
    {0.5, 0.5, 1, 0},           {3.25, 2.75, 0.875, 0.4375},  {-4, 20.5, 1.125, -0.5},
    {60, 1.5, -0.75, 0.25},     {10.5, -3, 0.0625, 1.0},      {1.5, 40, 0.03125, -0.96875},
    {30.125, 9.25, 0, 0},       {-7.5, 4.0, 3.75, 0.015625},  {33, 50, -2.5, -3.25},
    {-1000.5, 3, 8, 0.0078125}, {5.5, -900, 0.001953125, 16}, {100, 100, 1, 1},
};

std::string text_of(const WarpLine& line) {
  return std::to_string(line.x) + "," + std::to_string(line.y) + " by " + std::to_string(line.dx) +
         "," + std::to_string(line.dy);
}

TEST(WarpRows, FollowTheFormula) {
  const int sizes[][2] = {{1, 1}, {1, 13}, {2, 2}, {11, 1}, {3, 7}, {13, 17}, {41, 64}};
  constexpr std::uint8_t kUntouched = 99;
  constexpr std::size_t kMargin = 64;
  for (const auto& size : sizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      // The memory ends with the last pixel.
      const Image drawn = make_image(size[0], size[1], channels);
      std::vector<std::uint8_t> pixels(
          drawn.data(), drawn.data() + drawn.row_bytes() * static_cast<std::size_t>(size[0]));
      const Image in = Image::view(pixels.data(), size[0], size[1], channels, drawn.row_stride());
      for (const WarpOptions& how : kAllWarps) {
        if (how.interpolation == Interpolation::bicubic) continue;  // never in straight lines
        for (const WarpLine& line : kLines) {
          for (const int width : {1, 2, 5, 8, 16, 31, 67, 130}) {
            SCOPED_TRACE(std::to_string(size[0]) + "x" + std::to_string(size[1]) + " channels " +
                         std::to_string(channels) + " " + name_of(how.interpolation) + " " +
                         name_of(how.border) + " " + text_of(line) + " width " +
                         std::to_string(width));
            const auto bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
            std::vector<std::uint8_t> expected;
            on_every_target([&] {
              std::vector<std::uint8_t> row(bytes + 2 * kMargin, kUntouched);
              warp_row(in, line, how, width, row.data() + kMargin);
              if (expected.empty()) expected = row;
              ASSERT_EQ(row, expected);
            });
            for (std::size_t i = 0; i < kMargin; ++i) {
              ASSERT_EQ(expected[i], kUntouched);
              ASSERT_EQ(expected[kMargin + bytes + i], kUntouched);
            }
            for (std::size_t i = 0; i < bytes; ++i) {
              const int x = static_cast<int>(i) / channels, c = static_cast<int>(i) % channels;
              ASSERT_NEAR(expected[kMargin + i],
                          place_level(in, line.x + x * line.dx, line.y + x * line.dy, c, how), 0.65)
                  << "pixel " << x << " channel " << c;
            }
          }
        }
      }
    }
  }
}

// Rows may have any distance and any order.
TEST(WarpRows, TakeViews) {
  const Image whole = make_image(40, 50, 3);
  Image upside_down(40, 50, 3);
  for (int y = 0; y < 40; ++y)
    std::copy_n(whole.row(39 - y), whole.row_bytes(), upside_down.row(y));
  const Image view = Image::view(upside_down.row(39), 40, 50, 3, -upside_down.row_stride());
  const WarpLine line{2, 5, 0.875, 0.625};
  for (const Interpolation how : {Interpolation::nearest, Interpolation::bilinear}) {
    std::vector<std::uint8_t> expected(3 * 60), got(3 * 60);
    warp_row(whole, line, {how}, 60, expected.data());
    on_every_target([&] {
      warp_row(view, line, {how}, 60, got.data());
      EXPECT_EQ(got, expected);
    });
  }
}

// Exactly the steps of the definition, on every instruction set and at the end of a row.
TEST(PerspectivePlaces, FollowTheFormulaOnEveryInstructionSet) {
  const kernels::PerspectiveMap m{0.9, 0.2, -1.3, -0.1, 1.1, 2.2, 0.01, -0.004, 1};
  for (const int count : {1, 3, 8, 37}) {
    on_every_target([&] {
      std::vector<double> xs(static_cast<std::size_t>(count) + 1, -5), ys = xs;
      kernels::perspective_places(m, 7.5, count, xs.data(), ys.data());
      for (int i = 0; i < count; ++i) {
        const double x = i + 0.5, part = 1 / (m[6] * x + m[7] * 7.5 + m[8]);
        EXPECT_EQ(xs[static_cast<std::size_t>(i)], (m[0] * x + m[1] * 7.5 + m[2]) * part);
        EXPECT_EQ(ys[static_cast<std::size_t>(i)], (m[3] * x + m[4] * 7.5 + m[5]) * part);
      }
      EXPECT_EQ(xs.back(), -5);
      EXPECT_EQ(ys.back(), -5);
    });
  }
}

// The pieces of the cubic, for a = -0.75.
double cubic(double t) {
  t = std::abs(t);
  if (t <= 1) return 1.25 * t * t * t - 2.25 * t * t + 1;
  return t < 2 ? -0.75 * t * t * t + 3.75 * t * t - 6 * t + 3 : 0;
}

TEST(PlaceSampler, CubicWeights) {
  for (int part = 0; part < 2048; ++part) {
    const auto& weights = kernels::cubic_table()[static_cast<std::size_t>(part)];
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
      const int weight = weights[static_cast<std::size_t>(k)];
      ASSERT_NEAR(weight, 16384 * cubic(part / 2048.0 + 1 - k), 2) << part << " " << k;
      sum += weight;
    }
    ASSERT_EQ(sum, 16384) << part;
  }
}

TEST(PlaceSampler, Bicubic) {
  on_small_images({1, 3, 4}, [](const Image& in) {
    const kernels::PlaceSampler sampler(in, {Interpolation::bicubic, Border::edge});
    for (const double x : {-2.25, 0.0, 0.5, 0.7, 3.1, 126.9}) {
      for (const double y : {-1.0, 0.25, 2.5, 12.3}) {
        std::uint8_t got[4];
        sampler.sample(x, y, got);
        if (x > in.width() + 4 || y > in.height() + 4) continue;
        for (int c = 0; c < in.channels(); ++c) {
          double sum = 0;
          // Weights further away are 0.
          const int last_row = static_cast<int>(y) + 3, last_column = static_cast<int>(x) + 3;
          for (int row = last_row - 7; row <= last_row; ++row) {
            for (int column = last_column - 7; column <= last_column; ++column) {
              sum += cubic(x - 0.5 - column) * cubic(y - 0.5 - row) *
                     in.at(std::clamp(row, 0, in.height() - 1),
                           std::clamp(column, 0, in.width() - 1), c);
            }
          }
          ASSERT_LE(std::abs(got[c] - std::clamp(sum, 0.0, 255.0)), 0.75) << x << " " << y;
        }
      }
    }
  });
}

constexpr int kHeight = 13, kWidth = 17;

// The first places lie at borders or nowhere, the others in and around the image.
void draw_places(std::size_t count, std::vector<double>& x, std::vector<double>& y) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr double kFar = std::numeric_limits<double>::infinity();
  x = {0, 0.5, kWidth, kWidth - 0.5, 8, kNone, 3, kFar, -kFar, 1e300, 7.5, 16.75, 16.25};
  y = {0, 0.5, kHeight, kHeight - 0.5, kNone, 5, kFar, 4, -1e300, 6, 6.5, 12.75, 11.5};
  Random random({.seed = 7});
  while (x.size() < count) {
    x.push_back(static_cast<double>(random.uniform(-3.f, kWidth + 3.f)));
    y.push_back(static_cast<double>(random.uniform(-3.f, kHeight + 3.f)));
  }
  x.resize(count);
  y.resize(count);
}

TEST(PlaceSampler, ARowEqualsItsPlacesOneByOneOnEveryInstructionSet) {
  std::vector<double> x, y;
  for (int channels = 1; channels <= 4; ++channels) {
    // Without gaps, so that a sanitizer finds reads beyond the last byte.
    const Image in = make_image(kHeight, kWidth, channels);
    const auto size = static_cast<std::size_t>(channels);
    for (const auto interpolation :
         {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
      for (const Border border : {Border::constant, Border::edge}) {
        const kernels::PlaceSampler sampler(in, {interpolation, border, {9, 80, 150, 220}});
        for (const std::size_t count : {1U, 2U, 3U, 63U, 64U, 65U, 400U}) {
          SCOPED_TRACE(::testing::Message() << channels << " channels, " << name_of(interpolation)
                                            << ", " << name_of(border) << ", " << count);
          draw_places(count, x, y);
          std::vector<std::uint8_t> expected(count * size + 16, 0xA5);
          for (std::size_t i = 0; i < count; ++i)
            sampler.sample(x[i], y[i], expected.data() + i * size);
          on_every_target([&] {
            std::vector<std::uint8_t> out(expected.size(), 0xA5);
            sampler.sample_row(x.data(), y.data(), static_cast<int>(count), out.data());
            EXPECT_EQ(out, expected);
          });
        }
      }
    }
  }
}

TEST(BlurShifts, IsTheSameOnEveryInstructionSet) {
  for (const int width : {1, 5, 31, 64, 150}) {
    std::vector<float> drawn(static_cast<std::size_t>(4 * width));
    Random random({.seed = 3});
    for (float& number : drawn) number = random.unit() * 2 - 1;
    std::vector<std::vector<float>> blurred;
    on_every_target([&] {
      blurred.push_back(drawn);
      kernels::blur_shifts(blurred.back(), 4, width, 2.5f);
      EXPECT_EQ(blurred.back(), blurred.front()) << width;
    });
  }
}

ImageKernel random_perspective() {
  ImageKernel kernel("random_perspective");
  kernel.sizes = {{1, 1}, {1, 7}, {5, 1}, {2, 3}, {13, 11}, {29, 37}};
  kernel.wide_sizes = {{4, 257}, {33, 40}};
  const auto with = [](const kernels::RandomPerspective& params, const WarpOptions& options) {
    return [=](const Image& in, Image& out) {
      Random random({.seed = 8});
      kernels::random_perspective(random, in, params, options, out);
    };
  };
  for (const WarpOptions& options : kAllWarps) {
    for (const float scale : {0.f, 0.3f, 1.f}) {
      const kernels::RandomPerspective params{scale, 1};
      kernel.gives(
          std::to_string(scale) + name_of(options.interpolation) + name_of(options.border),
          with(params, options),
          // The content of the image's corners is at the drawn ones.
          [=](const Image& in) {
            Random random({.seed = 8});
            const int height = in.height(), width = in.width();
            const auto to = kernels::random_corners(random, height, width, params);
            if (!to) return Levels(in);
            const double right = width - 1.0, bottom = height - 1.0;
            const auto m = kernels::map_of_points(
                "formula", *to, {{{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}});
            Levels out(in);
            out.fill([&](int row, int column, int c) {
              const double x = column + 0.5, y = row + 0.5;
              const double part = 1 / (m[6] * x + m[7] * y + m[8]);
              return place_level(in, (m[0] * x + m[1] * y + m[2]) * part,
                                 (m[3] * x + m[4] * y + m[5]) * part, c, options);
            });
            return out;
          },
          options.interpolation == Interpolation::bicubic ? 1 : 0.75);
    }
  }
  kernel.gives(
      "never", with({1, 0}, {}), [](const Image& in) { return Levels(in); }, 0);
  const auto wrong = [&](const kernels::RandomPerspective& params, const std::string& says) {
    kernel.refuses(with(params, {}),
                   "random_perspective: " + says + "; it must lie between 0 and 1");
  };
  wrong({-0.5f, 1}, "distortion_scale is -0.5");
  wrong({2, 1}, "distortion_scale is 2");
  wrong({std::numeric_limits<float>::quiet_NaN(), 1}, "distortion_scale is nan");
  wrong({1, 1.5f}, "probability is 1.5");
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(Places, ImageKernels, ::testing::Values(random_perspective()),
                         name_of_kernel);

// All whole distances of each corner are equally likely, from 0 to a share of half of the side.
TEST(RandomPerspective, CornersMoveInwardsByWholePixels) {
  constexpr int kTall = 14, kWide = 21, kDraws = 4000;
  const struct {
    float scale;
    int along_y, along_x;  // the largest distances
  } cases[] = {{0, 0, 0}, {0.3f, 2, 3}, {0.7f, 4, 7}, {1, 7, 10}};
  for (const auto& c : cases) {
    std::map<int, int> counts[8];  // by distance: x and y of each corner
    for (int i = 0; i < kDraws; ++i) {
      Random random({.seed = 1, .sample = static_cast<std::uint64_t>(i)});
      const auto corners = kernels::random_corners(random, kTall, kWide, {c.scale, 1});
      ASSERT_TRUE(corners);
      const double far_x = kWide - 1, far_y = kTall - 1;
      const double distances[] = {(*corners)[0].x, (*corners)[0].y,         far_x - (*corners)[1].x,
                                  (*corners)[1].y, far_x - (*corners)[2].x, far_y - (*corners)[2].y,
                                  (*corners)[3].x, far_y - (*corners)[3].y};
      for (std::size_t k = 0; k < 8; ++k) {
        ASSERT_EQ(distances[k], std::floor(distances[k]));
        ++counts[k][static_cast<int>(distances[k])];
      }
    }
    for (std::size_t k = 0; k < 8; ++k) {
      const int most = k % 2 == 0 ? c.along_x : c.along_y;
      EXPECT_EQ(counts[k].begin()->first, 0) << c.scale << " " << k;
      EXPECT_EQ(counts[k].rbegin()->first, most) << c.scale << " " << k;
      const double expected = kDraws / (most + 1.0);
      // Six standard deviations. (If three corners lie on a line, all are drawn again; that is
      // rare.)
      for (const auto& [distance, count] : counts[k])
        EXPECT_NEAR(count, expected, 6 * std::sqrt(expected))
            << c.scale << " " << k << " " << distance;
    }
  }
}

TEST(RandomPerspective, LeavesSomeImagesAndNarrowOnesAsTheyAre) {
  int changed = 0;
  for (std::uint64_t sample = 0; sample < 1000; ++sample) {
    Random random({.seed = 2, .sample = sample});
    changed += kernels::random_corners(random, 9, 9, {0.5f, 0.25f}).has_value();
    EXPECT_FALSE(kernels::random_corners(random, 1, 9, {0.5f, 1}));
    EXPECT_FALSE(kernels::random_corners(random, 9, 1, {0.5f, 1}));
    // Three corners of such a small image often lie on a line.
    EXPECT_TRUE(kernels::random_perspective_map(random, 2, 2, {1, 1}));
  }
  EXPECT_NEAR(changed, 250, 80);
}

}  // namespace places_test
}  // namespace sluice::testing
