// Kernels that change the value of each channel by itself, with a lookup table that depends on the
// arguments or on the whole image.
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/image_kernel.h"
#include "tests/ops/kernels/luma.h"
#include <sluice/ops/kernels/levels.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace sluice::testing {
namespace colors_test {

using kernels::ClaheParams;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Adds slack for halves that double precision rounds the other way.
constexpr double kRounded = 0.5 + 1e-9;

Levels unchanged(const Image& in) { return Levels(in); }

// A formula that maps each value on its own.
template <class F>
ImageKernel::Formula by_table(const F& level) {
  std::vector<double> table;
  for (int x = 0; x < 256; ++x) table.push_back(level(x));
  return [table](const Image& in) {
    return levels_of(in, [&](int x) { return table[static_cast<std::size_t>(x)]; });
  };
}

ImageKernel posterize() {
  ImageKernel kernel("posterize");
  kernel.every_level = true;
  const auto with = [](int bits) {
    return [=](const Image& in, Image& out) { kernels::posterize(in, bits, out); };
  };
  for (int bits = 1; bits <= 8; ++bits) {
    kernel.gives(std::to_string(bits) + " bits", with(bits),
                 by_table([step = 256 >> bits](int level) { return level / step * step; }));
  }
  for (const int bits : {-1, 0, 9}) {
    kernel.refuses(with(bits),
                   "posterize: bits is " + std::to_string(bits) + "; it must lie in 1 .. 8");
  }
  return kernel;
}

ImageKernel solarize() {
  ImageKernel kernel("solarize");
  kernel.every_level = true;
  const auto with = [](float threshold) {
    return [=](const Image& in, Image& out) { kernels::solarize(in, threshold, out); };
  };
  for (const float threshold : {0.f, 0.5f, 1.f, 127.5f, 128.f, 254.f, 255.f, 255.5f, 256.f}) {
    kernel.gives("threshold " + std::to_string(threshold), with(threshold),
                 by_table([=](int level) {
                   return double(level) < double(threshold) ? level : 255 - level;
                 }));
  }
  kernel.refuses(with(-0.5f), "solarize: threshold is -0.5; it must lie in 0 .. 256");
  kernel.refuses(with(257), "solarize: threshold is 257; it must lie in 0 .. 256");
  kernel.refuses(with(kNan), "solarize: threshold is nan; it must lie in 0 .. 256");
  return kernel;
}

double mean_luma(const Image& in) {
  double sum = 0;
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x)
      sum += in.channels() == 1 ? in.at(y, x, 0)
                                : luma(in.at(y, x, 0), in.at(y, x, 1), in.at(y, x, 2));
  }
  return sum / (in.height() * in.width());
}

// Contrast around the mean luma. A fourth channel stays as it is.
Levels contrasted(const Image& in, double factor) {
  const double rest = (1 - factor) * mean_luma(in);
  return levels_of(in, [=](double level, int c) {
    return c == 3 ? level : std::clamp(factor * level + rest, 0.0, 255.0);
  });
}

ImageKernel contrast() {
  ImageKernel kernel("contrast");
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  const auto with = [](float factor) {
    return [=](const Image& in, Image& out) { kernels::contrast(in, factor, out); };
  };
  for (const float factor : {0.f, 0.3f, 1.f, 1.9f, 100.f}) {
    kernel.gives(
        "factor " + std::to_string(factor), with(factor),
        [f = double{factor}](const Image& in) { return contrasted(in, f); }, kRounded);
  }
  kernel.refuses(with(-1), "contrast: factor is -1; it must not be below zero");
  kernel.refuses(with(kInfinity), "contrast: factor is inf; a finite number is needed");
  return kernel;
}

ImageKernel brightness_contrast() {
  ImageKernel kernel("brightness_contrast");
  kernel.every_level = true;
  kernel.sizes.insert(kernel.sizes.end(), {{9, 13}, {256, 2}});
  const struct {
    float brightness, contrast, center, shift;
  } cases[] = {{1, 1, 128, 0},     {0, 1, 128, 0},    {1, 0, 128, 0},       {1.9f, 1, 128, 0},
               {1, 3, 128, 0},     {0.5f, 2, 0, 0},   {1.3f, 0.7f, 90, 0},  {100, 100, 128, 0},
               {1, 1, 128, 0.25f}, {1, 1, 128, -1.f}, {0.5f, 2, 60, -0.1f}, {0, 1, 128, 0.5f}};
  const auto with = [](float brightness, float contrast, float center, float shift) {
    return [=](const Image& in, Image& out) {
      kernels::brightness_contrast(in, brightness, contrast, center, shift, out);
    };
  };
  for (const auto& c : cases) {
    const auto formula = [=](int level) {
      const double center = c.center;
      const double contrasted = (level - center) * c.contrast + center;
      return to_byte(contrasted * c.brightness + 255.0 * double{c.shift});
    };
    kernel.gives(std::to_string(c.brightness) + ", " + std::to_string(c.contrast) + ", " +
                     std::to_string(c.center) + ", " + std::to_string(c.shift),
                 with(c.brightness, c.contrast, c.center, c.shift), by_table(formula));
  }
  kernel.gives(
      "defaults", [](const Image& in, Image& out) { kernels::brightness_contrast(in, 1, 1, out); },
      unchanged);
  const std::string op = "brightness_contrast: ";
  kernel.refuses(with(kNan, 1, 128, 0), op + "brightness is nan; a finite number is needed");
  kernel.refuses(with(1, kNan, 128, 0), op + "contrast is nan; a finite number is needed");
  kernel.refuses(
      [](const Image& in, Image& out) { kernels::brightness_contrast(in, 1, 1, kNan, out); },
      op + "contrast_center is nan; a finite number is needed");
  kernel.refuses(with(1, 1, 128, kNan), op + "brightness_shift is nan; a finite number is needed");
  kernel.refuses(
      [](const Image& in, Image& out) { kernels::brightness_contrast(in, -0.5f, 1, out); },
      op + "brightness is -0.5; it must not be below zero");
  return kernel;
}

ImageKernel gamma_correction() {
  ImageKernel kernel("gamma_correction");
  kernel.every_level = true;
  const auto with = [](float gamma, float gain) {
    return [=](const Image& in, Image& out) { kernels::gamma_correction(in, gamma, gain, out); };
  };
  const struct {
    float gamma, gain;
  } cases[] = {{1, 1},    {0.5f, 1}, {2.2f, 1},    {0.01f, 1}, {50, 1},
               {1, 0.5f}, {1, 3},    {0.7f, 1.7f}, {0, 1},     {2, 0}};
  for (const auto& c : cases) {
    const auto formula = [=](int level) {
      const long double part = std::pow(level / 255.0L, static_cast<long double>(c.gamma));
      const long rounded = std::lround(255 * part * static_cast<long double>(c.gain));
      return static_cast<double>(std::min(255L, rounded));
    };
    kernel.gives("gamma " + std::to_string(c.gamma) + ", gain " + std::to_string(c.gain),
                 with(c.gamma, c.gain), by_table(formula));
  }
  kernel.refuses(with(-1, 1), "gamma_correction: gamma is -1; it must not be below zero");
  kernel.refuses(with(1, -2), "gamma_correction: gain is -2; it must not be below zero");
  kernel.refuses(with(kInfinity, 1), "gamma_correction: gamma is inf; a finite number is needed");
  return kernel;
}

ImageKernel autocontrast() {
  ImageKernel kernel("autocontrast");
  kernel.wide_sizes = {{9, 61}, {33, 40}};
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  kernel.sizes.push_back({3, 1301});  // wider than one block of pixels
  kernel.gives("", kernels::autocontrast, [](const Image& in) {
    std::vector<int> lowest(4, 255), highest(4, 0);
    levels_of(in, [&](int level, int channel) {
      const auto c = static_cast<std::size_t>(channel);
      lowest[c] = std::min(lowest[c], level);
      highest[c] = std::max(highest[c], level);
      return level;
    });
    return levels_of(in, [&](int level, int channel) {
      const auto c = static_cast<std::size_t>(channel);
      if (channel == 3 || lowest[c] == highest[c]) return level;
      return (level - lowest[c]) * 255 / (highest[c] - lowest[c]);
    });
  });
  return kernel;
}

// Pillow's table. It counts the pixels below each one and needs no histogram.
Levels equalized(const Image& in) {
  std::vector<std::vector<int>> all(4);  // the sorted values of each channel
  levels_of(in, [&](int level, int c) {
    all[static_cast<std::size_t>(c)].push_back(level);
    return level;
  });
  for (std::vector<int>& levels : all) std::sort(levels.begin(), levels.end());
  return levels_of(in, [&](int level, int c) {
    const std::vector<int>& levels = all[static_cast<std::size_t>(c)];
    const auto below = [&](int some) {
      return static_cast<int>(std::lower_bound(levels.begin(), levels.end(), some) -
                              levels.begin());
    };
    const int step = below(levels.back()) / 255;
    return c == 3 || step == 0 ? level : std::min(255, (below(level) + step / 2) / step);
  });
}

ImageKernel equalize() {
  ImageKernel kernel("equalize");
  kernel.wide_sizes = {{9, 61}, {33, 40}};
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  // From just below the number of pixels at which the kernel begins to change something.
  for (const int height : {17, 31, 32, 64, 200}) kernel.sizes.push_back({height, 16});
  kernel.gives("", kernels::equalize, equalized);
  return kernel;
}

// The table of a tile with these values.
std::vector<double> clahe_table(const std::vector<int>& levels, double clip_limit) {
  std::vector<int> counts(256);
  for (const int level : levels) ++counts[static_cast<std::size_t>(level)];
  const int area = static_cast<int>(levels.size());
  if (clip_limit > 0) {
    const int limit = std::max(1, static_cast<int>(clip_limit * area / 256));
    int excess = 0;
    for (int& count : counts) {
      if (count <= limit) continue;
      excess += count - limit;
      count = limit;
    }
    for (int& count : counts) count += excess / 256;
    int rest = excess - excess / 256 * 256;
    const int step = rest == 0 ? 256 : std::max(256 / rest, 1);
    for (int i = 0; i < 256 && rest > 0; i += step, --rest) ++counts[static_cast<std::size_t>(i)];
  }
  std::vector<double> table;
  float sum = 0;
  for (const int count : counts) {
    sum += static_cast<float>(count);
    // Single precision, because it decides halves.
    table.push_back(static_cast<double>(std::nearbyint(sum * (255.0f / static_cast<float>(area)))));
  }
  return table;
}

// OpenCV's definition, in double precision, for an image of one channel that is really continued.
// The oracles compare with OpenCV itself.
Levels clahe_of_gray(const Image& in, const ClaheParams& params) {
  int height = in.height(), width = in.width();
  if (height % params.tiles_y != 0 || width % params.tiles_x != 0) {
    height += params.tiles_y - height % params.tiles_y;
    width += params.tiles_x - width % params.tiles_x;
  }
  const int tile_height = height / params.tiles_y, tile_width = width / params.tiles_x;
  std::vector<std::vector<double>> tables;
  for (int ty = 0; ty < params.tiles_y; ++ty) {
    for (int tx = 0; tx < params.tiles_x; ++tx) {
      std::vector<int> levels;
      for (int y = 0; y < tile_height; ++y) {
        for (int x = 0; x < tile_width; ++x)
          levels.push_back(in.at(folded(ty * tile_height + y, in.height()),
                                 folded(tx * tile_width + x, in.width()), 0));
      }
      tables.push_back(clahe_table(levels, static_cast<double>(params.clip_limit)));
    }
  }
  Levels out(in);
  out.fill([&](int y, int x, int) {
    // Bilinear weights around the tile centers. Beyond the border, the outermost tiles continue.
    double sum = 0;
    for (int ty = -1; ty <= params.tiles_y; ++ty) {
      for (int tx = -1; tx <= params.tiles_x; ++tx) {
        const double wy = 1 - std::abs(static_cast<double>(y) / tile_height - 0.5 - ty);
        const double wx = 1 - std::abs(static_cast<double>(x) / tile_width - 0.5 - tx);
        if (wy <= 0 || wx <= 0) continue;
        const int row = std::clamp(ty, 0, params.tiles_y - 1);
        const int column = std::clamp(tx, 0, params.tiles_x - 1);
        const int tile = row * params.tiles_x + column;
        sum += wy * wx * tables[static_cast<std::size_t>(tile)][in.at(y, x, 0)];
      }
    }
    return sum;
  });
  return out;
}

// Red, green and blue move by as much as the luma does.
Levels clahe_of_colors(const Image& in, const ClaheParams& params) {
  Image gray(in.height(), in.width(), 1), lighter;
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x)
      gray.row(y)[x] =
          static_cast<std::uint8_t>(luma(in.at(y, x, 0), in.at(y, x, 1), in.at(y, x, 2)));
  }
  kernels::clahe(gray, params, lighter);
  Levels out(in);
  out.fill([&](int y, int x, int c) {
    const int more = c == 3 ? 0 : lighter.at(y, x, 0) - gray.at(y, x, 0);
    return std::clamp(in.at(y, x, c) + more, 0, 255);
  });
  return out;
}

ImageKernel clahe() {
  ImageKernel kernel("clahe");
  kernel.wide_sizes = {{9, 61}, {33, 40}};
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  const auto with = [](const ClaheParams& params) {
    return [=](const Image& in, Image& out) { kernels::clahe(in, params, out); };
  };
  for (const ClaheParams& params :
       {ClaheParams{2, 8, 8}, {0, 1, 1}, {40, 2, 3}, {1, 1, 5}, {1e6f, 4, 1}, {3, 2, 4}}) {
    kernel.gives(
        "clip_limit " + std::to_string(params.clip_limit), with(params),
        [=](const Image& in) {
          return in.channels() == 1 ? clahe_of_gray(in, params) : clahe_of_colors(in, params);
        },
        0.501);
  }
  kernel.refuses(with({-1, 8, 8}), "clahe: clip_limit is -1; it must lie between 0 and 1000000");
  kernel.refuses(with({1, 0, 8}), "clahe: tiles_y is 0; it must lie between 1 and 256");
  kernel.refuses(with({1, 8, 257}), "clahe: tiles_x is 257; it must lie between 1 and 256");
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(Colors, ImageKernels,
                         ::testing::Values(posterize(), solarize(), contrast(),
                                           brightness_contrast(), gamma_correction(),
                                           autocontrast(), equalize(), clahe()),
                         name_of_kernel);

TEST(Contrast, KnownValues) {
  Image in(1, 2, 1);
  in.row(0)[0] = 100;
  in.row(0)[1] = 151;  // the mean is 125.5
  Image out;
  kernels::contrast(in, 0, out);
  EXPECT_EQ(out.at(0, 0, 0), 126);
  EXPECT_EQ(out.at(0, 1, 0), 126);
  kernels::contrast(in, 2, out);
  EXPECT_EQ(out.at(0, 0, 0), 75);   // 74.5
  EXPECT_EQ(out.at(0, 1, 0), 177);  // 176.5
  kernels::contrast(in, 1, out);
  EXPECT_EQ(out, in);
}

// Rows longer than the block that the kernel sums at once. A white image does not overflow the sum.
TEST(Contrast, LargeImages) {
  const Image in = constant_image(300, 1025, 3, 255);
  Image out;
  kernels::contrast(in, 0.5f, out);
  EXPECT_EQ(out, in);
  for (const int channels : {1, 3}) {
    const Image noise = make_image(37, 1025, channels);
    kernels::contrast(noise, 1.7f, out);
    EXPECT_EQ(difference(out, contrasted(noise, double{1.7f}), kRounded), std::nullopt);
  }
}

// Values worked out by hand: 255 * (64 / 255)^2 = 16.06, 255 * sqrt(64 / 255) = 127.75.
TEST(GammaCorrection, KnownValues) {
  const struct {
    float gamma, gain;
    int expected;
  } cases[] = {{2, 1, 16}, {0.5f, 1, 128}, {0.5f, 1.5f, 192}};
  for (const auto& c : cases) {
    Image out;
    kernels::gamma_correction(constant_image(1, 1, 1, 64), c.gamma, c.gain, out);
    EXPECT_EQ(out.at(0, 0, 0), c.expected) << c.gamma << " " << c.gain;
  }
}

// The extremes lie in the last pixel, after the last whole vector. They differ between channels.
TEST(Autocontrast, KnownValues) {
  Image in = constant_image(1, 70, 3, 100);
  in.row(0)[69 * 3] = 150;
  in.row(0)[69 * 3 + 1] = 40;
  in.row(0)[3] = 125;
  Image out;
  kernels::autocontrast(in, out);
  EXPECT_EQ(out.at(0, 0, 0), 0);
  EXPECT_EQ(out.at(0, 1, 0), 127);
  EXPECT_EQ(out.at(0, 69, 0), 255);
  EXPECT_EQ(out.at(0, 0, 1), 255);
  EXPECT_EQ(out.at(0, 69, 1), 0);
  EXPECT_EQ(out.at(0, 0, 2), 100);  // a channel with one value
}

TEST(Equalize, KnownValues) {
  // 255 black pixels, 255 of value 9 and 40 white ones: the step is 2.
  Image in(1, 550, 1);
  std::fill_n(in.row(0), 255, std::uint8_t{0});
  std::fill_n(in.row(0) + 255, 255, std::uint8_t{9});
  std::fill_n(in.row(0) + 510, 40, std::uint8_t{255});
  Image out;
  kernels::equalize(in, out);
  EXPECT_EQ(out.at(0, 0, 0), 0);
  EXPECT_EQ(out.at(0, 300, 0), 128);
  EXPECT_EQ(out.at(0, 520, 0), 255);
  const Image flat = constant_image(40, 40, 3, 77);
  kernels::equalize(flat, out);
  EXPECT_EQ(out, flat);
}

}  // namespace colors_test
}  // namespace sluice::testing
