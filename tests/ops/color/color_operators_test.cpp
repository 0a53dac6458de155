// Operators on colors in pipelines: constants, numbers of each sample, and refused ones.
#include "tests/ops/color/apply.h"
#include <sluice/ops/color.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/levels.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace color_operators_test {

using testing::apply;
using testing::build_error;
using testing::expect_images;
using testing::kImages;
using testing::numbered_image;

struct Factor {
  const char* name;
  Value<Image> (*use)(Value<Image>, Param<float>);
  void (*kernel)(const Image&, float, Image&);
};
constexpr Factor kFactors[] = {
    {"contrast", contrast, kernels::contrast},
    {"saturation", saturation, kernels::saturation},
};

TEST(ColorOperators, TakeAFactor) {
  for (const Factor& op : kFactors) {
    SCOPED_TRACE(op.name);
    for (const int channels : {1, 3, 4}) {
      expect_images(
          apply([&](auto image, auto) { return op.use(image, 1.5f); }, channels),
          [&](auto, const Image& in, Image& out) { op.kernel(in, 1.5f, out); }, channels);
    }
    expect_images(
        apply([&](auto image, auto i) { return op.use(image, i); }),
        [&](auto i, const Image& in, Image& out) { op.kernel(in, static_cast<float>(i), out); });
    const std::string wanted = std::string(op.name) + ": factor must be at least 0, not -1";
    EXPECT_EQ(
        build_error([&](auto image, auto) { return op.use(image, -1); }).substr(0, wanted.size()),
        wanted);
    const auto result = apply([&](auto image, auto i) { return op.use(image, i - 1); });
    EXPECT_EQ(result.errors, std::vector<std::string>{wanted});
    EXPECT_EQ(result.images.size(), 3u);
  }
}

TEST(ColorOperators, GrayscaleHasOneChannelOrThree) {
  for (const int channels : {1, 3}) {
    expect_images(
        apply([&](auto image, auto) { return grayscale(image, {.channels = channels}); }),
        [&](auto, const Image& in, Image& out) { kernels::grayscale(in, channels, out); });
  }
  const std::string wanted = "grayscale: channels is 2; it must be 1 or 3";
  EXPECT_EQ(build_error([](auto image, auto) {
              return grayscale(image, {.channels = 2});
            }).substr(0, wanted.size()),
            wanted);
  const auto result = apply([](auto image, auto i) { return grayscale(image, {.channels = i}); });
  EXPECT_EQ(result.errors, (std::vector<std::string>{
                               "grayscale: channels must lie between 1 and 3, not 0", wanted}));
  EXPECT_EQ(result.images.size(), 2u);
}

TEST(ColorOperators, StretchAndSpreadLevels) {
  for (const int channels : {1, 3, 4}) {
    expect_images(
        apply([](auto image, auto) { return autocontrast(image); }, channels),
        [](auto, const Image& in, Image& out) { kernels::autocontrast(in, out); }, channels);
    expect_images(
        apply([](auto image, auto) { return equalize(image); }, channels),
        [](auto, const Image& in, Image& out) { kernels::equalize(in, out); }, channels);
  }
}

TEST(ColorOperators, PermuteChannelsTakesAnOrder) {
  expect_images(
      apply([](auto image, auto) { return permute_channels(image, {.first = 2, .third = 0}); }),
      [](auto, const Image& in, Image& out) {
        kernels::permute_channels(in, {2, 1, 0}, out);
      });
  expect_images(apply([](auto image, auto i) {
                  return permute_channels(
                      image, {.first = i % 3, .second = (i + 1) % 3, .third = (i + 2) % 3});
                }),
                [](auto index, const Image& in, Image& out) {
                  const auto i = static_cast<int>(index);
                  kernels::permute_channels(in, {i % 3, (i + 1) % 3, (i + 2) % 3}, out);
                });
  const std::string wanted =
      "permute_channels: first, second and third are 1, 1 and 2; they must be 0, 1 and 2 in some "
      "order";
  EXPECT_EQ(build_error([](auto image, auto) {
              return permute_channels(image, {.first = 1});
            }).substr(0, wanted.size()),
            wanted);
  const auto result =
      apply([](auto image, auto i) { return permute_channels(image, {.first = i}); });
  ASSERT_EQ(result.errors.size(), 3u);
  EXPECT_EQ(result.errors[0], wanted);
  EXPECT_EQ(result.errors[2], "permute_channels: first must lie between 0 and 2, not 3");
}

TEST(ColorOperators, ChannelDropoutTakesAChannelOfTheImage) {
  for (const int channels : {1, 2, 3, 4}) {
    const auto result =
        apply([](auto image, auto i) { return channel_dropout(image, i, 9); }, channels);
    ASSERT_EQ(result.images.size(), static_cast<std::size_t>(channels));
    for (int i = 0; i < channels; ++i) {
      Image expected;
      kernels::channel_dropout(numbered_image(i, channels), i, 9, expected);
      EXPECT_EQ(result.images[static_cast<std::size_t>(i)], expected);
    }
    ASSERT_EQ(result.errors.size(), static_cast<std::size_t>(kImages - channels));
  }
  const auto gray = apply([](auto image, auto) { return channel_dropout(image, 2); }, 1);
  EXPECT_EQ(gray.errors.at(0),
            "channel_dropout: channel is 2, but the image has 1 channel; it must lie between 0 and "
            "0");
  const std::string wanted = "channel_dropout: channel must lie between 0 and 3, not 4";
  EXPECT_EQ(build_error([](auto image, auto) {
              return channel_dropout(image, 4);
            }).substr(0, wanted.size()),
            wanted);
}

TEST(ColorOperators, RgbShiftTakesThreeNumbers) {
  expect_images(apply([](auto image, auto i) {
                  return rgb_shift(image, {.red = i * 50, .green = -20, .blue = i});
                }),
                [](auto index, const Image& in, Image& out) {
                  const auto i = static_cast<float>(index);
                  kernels::rgb_shift(in, {i * 50, -20, i}, out);
                });
  const auto gray = apply([](auto image, auto) { return rgb_shift(image, {.red = 1}); }, 1);
  EXPECT_EQ(gray.errors.at(0), "rgb_shift: the image has 1 channel; 3 or 4 are possible");
}

TEST(ColorOperators, ColorSpaceConversionTakesTwoFormats) {
  for (const auto& [from, to] : {std::pair(PixelFormat::rgb, PixelFormat::ycbcr),
                                 {PixelFormat::ycbcr, PixelFormat::bgr},
                                 {PixelFormat::bgr, PixelFormat::rgb}}) {
    expect_images(apply([from = from, to = to](auto image, auto) {
                    return color_space_conversion(image, {.from = from, .to = to});
                  }),
                  [from = from, to = to](auto, const Image& in, Image& out) {
                    kernels::color_space_conversion(in, from, to, out);
                  });
  }
  const auto gray = apply(
      [](auto image, auto) { return color_space_conversion(image, {.to = PixelFormat::bgr}); }, 1);
  ASSERT_EQ(gray.errors.size(), 4u);
  EXPECT_EQ(gray.errors[0], "color_space_conversion: the image has 1 channel; 3 or 4 are possible");
}

TEST(ColorOperators, HueTakesAnyAngle) {
  for (const int channels : {1, 3, 4}) {
    expect_images(
        apply([](auto image, auto i) { return hue(image, i * 100 - 150); }, channels),
        [](auto i, const Image& in, Image& out) {
          kernels::hue(in, static_cast<float>(i * 100 - 150), out);
        },
        channels);
  }
}

TEST(ColorOperators, ColorTwistTakesFourNumbers) {
  const ColorTwistOptions constant{
      .brightness = 1.1f, .contrast = 0.9f, .saturation = 1.5f, .hue = 30};
  expect_images(apply([&](auto image, auto) { return color_twist(image, constant); }),
                [](auto, const Image& in, Image& out) {
                  kernels::color_twist(in, {1.1f, 0.9f, 1.5f, 30}, out);
                });
  expect_images(apply([](auto image, auto i) {
                  return color_twist(
                      image,
                      {.brightness = i, .contrast = i + 1, .saturation = i * 2, .hue = i * 50});
                }),
                [](auto index, const Image& in, Image& out) {
                  const auto i = static_cast<float>(index);
                  kernels::color_twist(in, {i, i + 1, i * 2, i * 50}, out);
                });
  const std::string wanted = "color_twist: contrast must be at least 0, not -1";
  EXPECT_EQ(build_error([](auto image, auto) {
              return color_twist(image, {.contrast = -1});
            }).substr(0, wanted.size()),
            wanted);
  const auto result =
      apply([](auto image, auto i) { return color_twist(image, {.contrast = i - 1}); });
  EXPECT_EQ(result.errors, std::vector<std::string>{wanted});
}

}  // namespace color_operators_test
}  // namespace sluice
