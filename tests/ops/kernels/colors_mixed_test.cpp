// Kernels that mix the channels of a pixel, and the color matrix that most of them are made of.
#include "tests/every_target.h"
#include "tests/ops/kernels/image_kernel.h"
#include "tests/ops/kernels/luma.h"
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

namespace sluice::testing {
namespace colors_mixed_test {

using kernels::apply_color_matrix;
using kernels::ColorMatrix;
using kernels::ColorTwist;
using kernels::ComposedColors;
using Color = std::array<double, 3>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Single precision can round a half to either side.
constexpr double kRounded = 0.501;

Levels unchanged(const Image& in) { return Levels(in); }

// Applies color() to the first three channels. A fourth channel stays as it is.
template <class F>
Levels colors_of(const Image& in, const F& color) {
  Levels out(in);
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x) {
      const Color to =
          color(Color{double(in.at(y, x, 0)), double(in.at(y, x, 1)), double(in.at(y, x, 2))});
      for (int c = 0; c < 3; ++c) out.at(y, x, c) = to[static_cast<std::size_t>(c)];
    }
  }
  return out;
}

int luma_at(const Image& in, int y, int x) {
  return in.channels() == 1 ? in.at(y, x, 0) : luma(in.at(y, x, 0), in.at(y, x, 1), in.at(y, x, 2));
}

ImageKernel saturation() {
  ImageKernel kernel("saturation");
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  const auto with = [](float factor) {
    return [=](const Image& in, Image& out) { kernels::saturation(in, factor, out); };
  };
  for (const float factor : {0.123f, 0.4f, 0.5f, 0.77f, 1.234f, 1.9f, 3.f, 20.f}) {
    const auto formula = [f = double{factor}](const Image& in) {
      if (in.channels() == 1) return Levels(in);
      return colors_of(in, [=](const Color& from) {
        const double gray = (19595.0 * from[0] + 38470.0 * from[1] + 7471.0 * from[2]) / 65536;
        Color to{};
        for (std::size_t c = 0; c < 3; ++c)
          to[c] = std::clamp(f * from[c] + (1 - f) * gray, 0.0, 255.0);
        return to;
      });
    };
    kernel.gives("factor " + std::to_string(factor), with(factor), formula,
                 kRounded + kColorMatrixError * (factor + std::abs(1 - factor)));
  }
  kernel.gives("factor 0", with(0), [](const Image& in) {
    Levels out(in);
    out.fill([&](int y, int x, int c) { return c == 3 ? in.at(y, x, 3) : luma_at(in, y, x); });
    return out;
  });
  kernel.gives("factor 1", with(1), unchanged);
  kernel.refuses(with(-1), "saturation: factor is -1; it must not be below zero");
  kernel.refuses(with(kNan), "saturation: factor is nan; a finite number is needed");
  return kernel;
}

// Converts to HSV and back case by case, as textbooks do. Values are parts of 1.
Color turned(const Color& rgb, double degrees) {
  const double v = *std::max_element(rgb.begin(), rgb.end());
  const double c = v - *std::min_element(rgb.begin(), rgb.end());
  if (c == 0) return rgb;
  const double s = c / v;
  double h = rgb[0] == v   ? (rgb[1] - rgb[2]) / c
             : rgb[1] == v ? 2 + (rgb[2] - rgb[0]) / c
                           : 4 + (rgb[0] - rgb[1]) / c;
  h = h / 6 + degrees / 360;
  h = (h - std::floor(h)) * 6;
  const double f = h - std::floor(h);
  const double p = v * (1 - s), q = v * (1 - s * f), t = v * (1 - s * (1 - f));
  switch (static_cast<int>(h) % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

Levels hue_turned(const Image& in, double degrees) {
  if (in.channels() == 1) return Levels(in);
  return colors_of(in, [=](const Color& from) {
    Color to = turned({from[0] / 255, from[1] / 255, from[2] / 255}, degrees);
    for (double& level : to) level *= 255;
    return to;
  });
}
// The kernel works in steps of 2^-15 of at most 255.
constexpr double kHueError = 0.51;

ImageKernel hue() {
  ImageKernel kernel("hue");
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  const auto with = [](float degrees) {
    return [=](const Image& in, Image& out) { kernels::hue(in, degrees, out); };
  };
  for (const float degrees : {1.f, 17.3f, 60.f, 119.f, 180.f, 359.9f, -1.f, -100.f, 1000.f}) {
    kernel.gives(
        std::to_string(degrees) + " degrees", with(degrees),
        [d = double{degrees}](const Image& in) { return hue_turned(in, d); }, kHueError);
  }
  for (const float degrees : {0.f, 360.f, -720.f})
    kernel.gives(std::to_string(degrees) + " degrees", with(degrees), unchanged);
  // A third of a turn exchanges the channels exactly.
  kernel.gives("120 degrees", with(120), [](const Image& in) {
    if (in.channels() == 1) return Levels(in);
    return colors_of(in, [](const Color& from) { return Color{from[2], from[0], from[1]}; });
  });
  kernel.refuses(with(kInfinity), "hue: degrees is inf; a finite number is needed");
  return kernel;
}

Levels grayed(const Image& in, int channels) {
  Levels out(in.height(), in.width(), channels);
  out.fill([&](int y, int x, int) { return luma_at(in, y, x); });
  return out;
}

ImageKernel grayscale() {
  ImageKernel kernel("grayscale");
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  // More pixels than the kernel computes at once.
  for (const int width : {15, 16, 17, 33, 34, 66, 511, 512, 513, 1500})
    kernel.sizes.push_back({2, width});
  const auto with = [](int channels) {
    return [=](const Image& in, Image& out) { kernels::grayscale(in, channels, out); };
  };
  for (const int channels : {1, 3}) {
    kernel.gives("to " + std::to_string(channels) + " channels", with(channels),
                 [=](const Image& in) { return grayed(in, channels); });
  }
  kernel.refuses(with(2), "grayscale: channels is 2; it must be 1 or 3");
  return kernel;
}

// The numbers of the JPEG standard.
Color rgb_of(const Color& from, PixelFormat format) {
  if (format == PixelFormat::rgb) return from;
  if (format == PixelFormat::bgr) return {from[2], from[1], from[0]};
  const double cb = from[1] - 128, cr = from[2] - 128;
  return {from[0] + 1.402 * cr, from[0] - 0.344136286 * cb - 0.714136286 * cr,
          from[0] + 1.772 * cb};
}
Color of_rgb(const Color& rgb, PixelFormat format) {
  const auto [r, g, b] = rgb;
  if (format == PixelFormat::rgb) return rgb;
  if (format == PixelFormat::bgr) return {b, g, r};
  return {0.299 * r + 0.587 * g + 0.114 * b, -0.168735892 * r - 0.331264108 * g + 0.5 * b + 128,
          0.5 * r - 0.418687589 * g - 0.081312411 * b + 128};
}

ImageKernel color_space_conversion() {
  ImageKernel kernel("color_space_conversion");
  kernel.channels = {3, 4};
  kernel.every_level = true;
  constexpr PixelFormat kAll[] = {PixelFormat::rgb, PixelFormat::bgr, PixelFormat::ycbcr};
  for (const PixelFormat from : kAll) {
    for (const PixelFormat to : kAll) {
      const auto run = [=](const Image& in, Image& out) {
        kernels::color_space_conversion(in, from, to, out);
      };
      const auto formula = [=](const Image& in) {
        return colors_of(in, [=](const Color& pixel) {
          Color wanted = from == to ? pixel : of_rgb(rgb_of(pixel, from), to);
          for (double& level : wanted) level = std::clamp(level, 0.0, 255.0);
          return wanted;
        });
      };
      kernel.gives(std::string(name_of(from)) + " to " + name_of(to), run, formula,
                   kRounded + 2.8 * kColorMatrixError);
    }
  }
  return kernel;
}

// Applies one step after the other, without a matrix: to Y, I and Q, turn and stretch, back, then
// contrast, then brightness. A gray image has no hue and no saturation.
Levels twisted(const Image& in, const ColorTwist& twist) {
  const auto lit = [=](double level) {
    const double contrasted = twist.contrast * level + 128 * (1.0 - twist.contrast);
    return std::clamp(twist.brightness * contrasted, 0.0, 255.0);
  };
  if (in.channels() == 1) return levels_of(in, lit);
  return colors_of(in, [&](const Color& from) {
    const auto [r, g, b] = from;
    const double gray = .299 * r + .587 * g + .114 * b;
    const double i = .596 * r - .274 * g - .321 * b;
    const double q = .211 * r - .523 * g + .311 * b;
    const double a = twist.hue * std::numbers::pi / 180;
    const double s = twist.saturation;
    const double turned_i = std::cos(a) * s * i + std::sin(a) * s * q;
    const double turned_q = std::cos(a) * s * q - std::sin(a) * s * i;
    Color to{gray + .956 * turned_i + .621 * turned_q, gray - .272 * turned_i - .647 * turned_q,
             gray - 1.107 * turned_i + 1.705 * turned_q};
    if (twist.hue == 0 && twist.saturation == 1) to = from;
    for (double& level : to) level = lit(level);
    return to;
  });
}

constexpr ColorTwist kLargeTwist{100, 100, 100, 45};

ImageKernel color_twist() {
  ImageKernel kernel("color_twist");
  kernel.channels = {1, 3, 4};
  kernel.every_level = true;
  const auto with = [](const ColorTwist& twist) {
    return [=](const Image& in, Image& out) { kernels::color_twist(in, twist, out); };
  };
  for (const ColorTwist& twist : {ColorTwist{},
                                  {.brightness = 1.3f},
                                  {.contrast = 0.4f},
                                  {.saturation = 2},
                                  {.hue = 77},
                                  {.hue = -400},
                                  {.brightness = 0},
                                  {.contrast = 0},
                                  {.saturation = 0},
                                  {0.7f, 1.6f, 0.3f, 200},
                                  {1.5f, 0.5f, 2.5f, -30},
                                  {1.5f, 0.5f, 3, 99},
                                  kLargeTwist}) {
    // Single precision has 24 bits, for sums of up to 100 * 100 * 100 * 255 with kLargeTwist.
    const double largest = 2 * twist.brightness * twist.contrast * std::max(twist.saturation, 1.f);
    const double tolerance =
        twist.brightness == kLargeTwist.brightness ? 30 : kRounded + kColorMatrixError * largest;
    kernel.gives(
        std::to_string(twist.brightness) + ", " + std::to_string(twist.contrast) + ", " +
            std::to_string(twist.saturation) + ", " + std::to_string(twist.hue),
        with(twist), [=](const Image& in) { return twisted(in, twist); }, tolerance);
  }
  const std::string op = "color_twist: ";
  kernel.refuses(with({.brightness = -1}), op + "brightness is -1; it must not be below zero");
  kernel.refuses(with({.contrast = -1}), op + "contrast is -1; it must not be below zero");
  kernel.refuses(with({.saturation = -1}), op + "saturation is -1; it must not be below zero");
  kernel.refuses(with({.hue = kNan}), op + "hue is nan; a finite number is needed");
  return kernel;
}

ImageKernel permute_channels() {
  ImageKernel kernel("permute_channels");
  kernel.channels = {3, 4};
  kernel.every_level = true;
  kernel.sizes.push_back({2, 1301});
  const auto with = [](const kernels::ChannelOrder& order) {
    return [=](const Image& in, Image& out) { kernels::permute_channels(in, order, out); };
  };
  const auto written = [](const kernels::ChannelOrder& order, const char* last) {
    return std::to_string(order[0]) + ", " + std::to_string(order[1]) + last +
           std::to_string(order[2]);
  };
  kernels::ChannelOrder order{0, 1, 2};
  do {
    kernel.gives(written(order, ", "), with(order), [=](const Image& in) {
      Levels out(in);
      out.fill([&](int y, int x, int c) {
        return in.at(y, x, c == 3 ? 3 : order[static_cast<std::size_t>(c)]);
      });
      return out;
    });
  } while (std::next_permutation(order.begin(), order.end()));
  for (const kernels::ChannelOrder& wrong : {kernels::ChannelOrder{0, 1, 1}, {0, 1, 3}}) {
    kernel.refuses(with(wrong), "permute_channels: first, second and third are " +
                                    written(wrong, " and ") +
                                    "; they must be 0, 1 and 2 in some order");
  }
  return kernel;
}

ImageKernel channel_dropout() {
  ImageKernel kernel("channel_dropout");
  const auto with = [](int channel, std::uint8_t fill) {
    return [=](const Image& in, Image& out) { kernels::channel_dropout(in, channel, fill, out); };
  };
  for (const std::uint8_t fill : {std::uint8_t{0}, std::uint8_t{77}}) {
    kernel.gives("the first", with(0, fill), [=](const Image& in) {
      return levels_of(in, [=](int x, int c) { return c == 0 ? fill : x; });
    });
    // The last channel of any image.
    const auto last = [=](const Image& in, Image& out) {
      kernels::channel_dropout(in, in.channels() - 1, fill, out);
    };
    kernel.gives("the last", last, [=](const Image& in) {
      return levels_of(in, [&](int x, int c) { return c == in.channels() - 1 ? fill : x; });
    });
  }
  for (const int channel : {-1, 4}) {
    kernel.refuses(with(channel, 0), "channel_dropout: channel is " + std::to_string(channel) +
                                         ", but the image has 4 channels; it must lie between 0 "
                                         "and 3");
  }
  return kernel;
}

ImageKernel rgb_shift() {
  ImageKernel kernel("rgb_shift");
  kernel.channels = {3, 4};
  kernel.every_level = true;
  const auto with = [](const kernels::RgbShift& shift) {
    return [=](const Image& in, Image& out) { kernels::rgb_shift(in, shift, out); };
  };
  for (const kernels::RgbShift& shift : {kernels::RgbShift{},
                                         {.red = 20, .green = -7, .blue = 255},
                                         {.red = 0.5f, .green = -0.5f, .blue = 0.25f},
                                         {.red = -255, .green = 1e30f, .blue = 1.75f}}) {
    kernel.gives("red " + std::to_string(shift.red), with(shift), [=](const Image& in) {
      const double numbers[] = {shift.red, shift.green, shift.blue, 0};
      return levels_of(in, [&](int x, int c) { return to_byte(x + numbers[c]); });
    });
  }
  kernel.refuses(with({.green = kNan}), "rgb_shift: green is nan; a finite number is needed");
  kernel.refuses(with({.blue = kInfinity}), "rgb_shift: blue is inf; a finite number is needed");
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(MixedColors, ImageKernels,
                         ::testing::Values(saturation(), hue(), grayscale(),
                                           color_space_conversion(), color_twist(),
                                           permute_channels(), channel_dropout(), rgb_shift()),
                         name_of_kernel);

// All colors whose channels have `steps` equally spaced values, from black to white.
Image color_cube(int steps) {
  Image image(steps, steps * steps, 3);
  for (int i = 0; i < steps * steps * steps; ++i) {
    const int at[] = {i % steps, i / steps % steps, i / steps / steps};
    for (int c = 0; c < 3; ++c)
      image.data()[3 * i + c] = static_cast<std::uint8_t>(at[c] * 255 / (steps - 1));
  }
  return image;
}

TEST(Hue, AllCornersAndEdgesOfTheCube) {
  const Image in = color_cube(9);
  for (int degrees = -360; degrees <= 360; degrees += 15) {
    Image out;
    kernels::hue(in, static_cast<float>(degrees), out);
    EXPECT_EQ(difference(out, hue_turned(in, degrees), kHueError), std::nullopt) << degrees;
  }
}

TEST(Grayscale, ExtremeColors) {
  const Image in = color_cube(16);
  Image out;
  kernels::grayscale(in, 1, out);
  EXPECT_EQ(difference(out, grayed(in, 1), 0), std::nullopt);
}

TEST(ColorSpaceConversion, GrayHasNoColorAndComesBack) {
  for (int level = 0; level < 256; ++level) {
    const Image gray = constant_image(1, 3, 3, level);
    Image there, back;
    kernels::color_space_conversion(gray, PixelFormat::rgb, PixelFormat::ycbcr, there);
    EXPECT_EQ(there.at(0, 2, 0), level);
    EXPECT_EQ(there.at(0, 2, 1), 128);
    EXPECT_EQ(there.at(0, 2, 2), 128);
    kernels::color_space_conversion(there, PixelFormat::ycbcr, PixelFormat::rgb, back);
    EXPECT_EQ(back, gray);
  }
}

TEST(ColorTwist, GrayImagesHaveNoHue) {
  on_small_images({1}, [](const Image& in) {
    Image out, wanted;
    kernels::brightness_contrast(in, 1.5f, 0.5f, wanted);
    kernels::color_twist(in, {1.5f, 0.5f, 3, 99}, out);
    EXPECT_EQ(out, wanted);
  });
}

// The tolerance for the large twist in the table would hide a change of the fourth channel.
TEST(ColorTwist, LeavesTheFourthChannel) {
  on_every_target([] {
    on_small_images({4}, [](const Image& in) {
      Image out;
      kernels::color_twist(in, kLargeTwist, out);
      for (int y = 0; y < in.height(); ++y) {
        for (int x = 0; x < in.width(); ++x) ASSERT_EQ(out.at(y, x, 3), in.at(y, x, 3));
      }
    });
  });
}

// Single precision cannot hold the product of these numbers. The result is black or white.
TEST(ColorTwist, HugeNumbersAreClipped) {
  const Image in = make_image(5, 7, 3);
  Image out;
  kernels::color_twist(in, {3e38f, 3e38f, 3e38f, 30}, out);
  for (int y = 0; y < out.height(); ++y) {
    for (std::size_t i = 0; i < out.row_bytes(); ++i)
      EXPECT_TRUE(out.row(y)[i] == 0 || out.row(y)[i] == 255);
  }
}

constexpr ColorMatrix kMixed{{{0.9, 0.4, -0.3, 0}, {-0.2, 1.3, 0.1, 0}, {0.7, -1.7, 2.1, 0}}};
constexpr ColorMatrix kMoved{{{0.5, 0, 0, 0.5}, {0, 0.5, 0.01, -3.25}, {-1, 0, 0, 255}}};
constexpr ColorMatrix kOneMoved{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0.49999997}}};
constexpr ColorMatrix kHuge{{{1e12, 0, 0, -1e11}, {-1e12, 1e12, 0, 0}, {1e8, 1e8, -1e8, -1e8}}};
constexpr ColorMatrix kNoNumbers{
    {{kNan, 0, 0, 0}, {kInfinity, -kInfinity, 1, 0}, {0, 1, 0, kInfinity}}};

// The plain instructions are among those that are compared.
TEST(ColorMatrix, SameBytesOnEveryInstructionSet) {
  for (const ColorMatrix& matrix : {kMixed, kMoved, kOneMoved, kHuge, kNoNumbers}) {
    for (const int channels : {3, 4}) {
      for (int width = 1; width <= 70; ++width) {
        const Image whole = make_image(3, width + 2, channels);
        const Image in = whole.crop_view(0, 1, 3, width);
        Image first;
        apply_color_matrix(in, matrix, first);
        on_every_target([&] {
          Image with_gaps, without;
          apply_color_matrix(in, matrix, with_gaps);
          apply_color_matrix(in.clone(), matrix, without);
          EXPECT_EQ(with_gaps, first) << width;
          EXPECT_EQ(without, first) << width;
        });
      }
    }
  }
}

TEST(ColorMatrix, FollowsTheFormula) {
  constexpr double kLargest = 2.1;
  for (const ColorMatrix& matrix : {kMixed, kMoved, kOneMoved}) {
    const Image in = make_image(40, 61, 3);
    Image out;
    apply_color_matrix(in, matrix, out);
    const Levels wanted = colors_of(in, [&](const Color& from) {
      Color to{};
      for (std::size_t c = 0; c < 3; ++c) {
        const auto& row = matrix[c];
        to[c] =
            std::clamp(row[3] + row[0] * from[0] + row[1] * from[1] + row[2] * from[2], 0.0, 255.0);
      }
      return to;
    });
    EXPECT_EQ(difference(out, wanted, 0.5 + kColorMatrixError * kLargest), std::nullopt);
  }
}

TEST(ColorMatrix, GrayStaysGrayIfAllRowsHaveOneSum) {
  Image gray(1, 256, 3);
  for (int x = 0; x < 256; ++x) std::fill_n(gray.row(0) + 3 * x, 3, static_cast<std::uint8_t>(x));
  Random random({.seed = 4});
  for (int i = 0; i < 2000; ++i) {
    const double saturation = 2 * random.unit_double(), brightness = 0.5 + random.unit_double();
    const double weights[] = {0.299, 0.587, 0.114};
    ColorMatrix matrix{};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t k = 0; k < 3; ++k)
        matrix[row][k] = brightness * ((row == k ? saturation : 0) + (1 - saturation) * weights[k]);
      matrix[row][3] = 10 * brightness;
    }
    Image out;
    apply_color_matrix(gray, matrix, out);
    for (int x = 0; x < 256; ++x) {
      ASSERT_EQ(out.at(0, x, 0), out.at(0, x, 1)) << saturation << " " << brightness << " " << x;
      ASSERT_EQ(out.at(0, x, 0), out.at(0, x, 2)) << saturation << " " << brightness << " " << x;
    }
  }
}

TEST(ColorMatrix, RoundsHalvesUpAndClips) {
  const struct {
    ColorMatrix matrix;
    std::uint8_t expected[3];
  } cases[] = {
      {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, {1, 100, 255}},
      {{{{0.5, 0, 0, 0}, {0, 0.00501, 0, 0}, {0, 0, 0.5, 0}}}, {1, 1, 128}},
      {{{{0.49, 0, 0, 0}, {0, 0.0049, 0, 0}, {0, 0, 0.4999, 0}}}, {0, 0, 127}},
      {{{{0, 0, 0, -1}, {0, 0, 0, 255.5}, {0, 0, 0, 254.5}}}, {0, 255, 255}},
      {{{{-1e30, 0, 0, 0}, {0, 1e30, 0, 0}, {0, 0, 1, -255}}}, {0, 255, 0}},
      {{{{0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}}}, {100, 255, 1}},
  };
  for (const auto& [matrix, expected] : cases) {
    on_every_target([&, &matrix = matrix, &expected = expected] {
      for (const int channels : {3, 4}) {
        Image in(1, 21, channels), out;
        for (int x = 0; x < in.width(); ++x) {
          const std::uint8_t pixel[] = {1, 100, 255, static_cast<std::uint8_t>(x)};
          std::copy_n(pixel, channels, in.row(0) + x * channels);
        }
        apply_color_matrix(in, matrix, out);
        for (int x = 0; x < in.width(); ++x) {
          for (int c = 0; c < 3; ++c) EXPECT_EQ(out.at(0, x, c), expected[c]) << x << " " << c;
          if (channels == 4) {
            EXPECT_EQ(out.at(0, x, 3), x);
          }
        }
      }
    });
  }
}

// One matrix gives the bytes of its operator, also for a part of an image.
TEST(ComposedColors, OneMapIsTheOperator) {
  const Image whole = make_image(30, 700, 4);
  const Image in = whole.crop_view(3, 5, 20, 650);
  Image out, expected;
  ComposedColors colors(in);
  colors.apply(kernels::saturation_matrix(1.7f));
  colors.write_to(out);
  kernels::saturation(in, 1.7f, expected);
  EXPECT_EQ(out, expected);
  EXPECT_FALSE(colors.fourth());
}

TEST(ComposedColors, InverseStepsRestoreTheImage) {
  for (const int channels : {1, 3, 4}) {
    const Image in = make_image(11, 40, channels);
    ComposedColors colors(in);
    colors.map_levels(2, 0);  // beyond white
    colors.map_levels(-0.5, 255);
    colors.map_levels(-1, 255);
    Image out;
    colors.write_to(out);
    EXPECT_EQ(out, in) << channels;
  }
}

TEST(ComposedColors, ChecksTheComposedImage) {
  const Image in = make_image(2, 3, 3), two = make_image(2, 3, 2), none;
  ComposedColors colors(in);
  colors.check_three_colors("it");
  colors.to_gray(1);
  EXPECT_EQ(colors.channels(), 1);
  EXPECT_EQ(refusal([&] { colors.check_three_colors("it"); }),
            "it: the image has 1 channel; 3 or 4 are possible");
  EXPECT_EQ(refusal([&] { ComposedColors(two).check_colors("it"); }),
            "it: the image has 2 channels; 1, 3 or 4 are possible");
  EXPECT_EQ(refusal([&] { ComposedColors(none).check_pixels("it"); }), "it: the image is empty");
}

}  // namespace colors_mixed_test
}  // namespace sluice::testing
