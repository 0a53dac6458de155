// Each operator that has a version for devices, against the host's.
#include "tests/cuda/same_operator.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/occlusion.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace operators_test {

using Case = OperatorCase;

std::vector<Case> warps(Interpolation way, Border border) {
  const Fill fill(9, 80, 200, 255);
  const std::string how = std::string(name_of(way)) + ", " + name_of(border);
  return {
      {"shear, " + how,
       [=](Graph& g, Value<Image> image) {
         return shear(image, {.y = g.uniform(-0.4f, 0.4f),
                              .x = g.uniform(-1.5f, 1.5f),
                              .center_y = 0.5f,
                              .center_x = g.uniform(0.f, 1.f),
                              .interpolation = way,
                              .border = border,
                              .fill = fill});
       }},
      {"shear to a line, " + how,
       [=](Graph& g, Value<Image> image) {
         auto drawn = cast<float>(whole(g, -1, 3));
         return shear(image, {.y = drawn, .x = drawn, .interpolation = way, .border = border});
       }},
      {"affine, " + how,
       [=](Graph& g, Value<Image> image) {
         return affine(image, {.degrees = g.uniform(-180.f, 180.f),
                               .y = g.uniform(-0.5f, 0.5f),
                               .x = g.uniform(-0.5f, 0.5f),
                               .relative = true,
                               .scale = g.uniform(0.3f, 3.f),
                               .shear_y = g.uniform(-20.f, 20.f),
                               .shear_x = g.uniform(-20.f, 20.f),
                               .center_x = g.uniform(0.f, 1.f),
                               .interpolation = way,
                               .border = border,
                               .fill = fill});
       }},
      {"translate, " + how,
       [=](Graph& g, Value<Image> image) {
         return translate(image, {.y = g.uniform(-20.f, 20.f),
                                  .x = g.uniform(-40.f, 40.f),
                                  .interpolation = way,
                                  .border = border,
                                  .fill = fill});
       }},
      {"translate by shares, " + how,
       [=](Graph& g, Value<Image> image) {
         return translate(image, {.y = g.uniform(-1.f, 1.f),
                                  .x = g.uniform(-1.f, 1.f),
                                  .relative = true,
                                  .interpolation = way,
                                  .border = border,
                                  .fill = fill});
       }},
      {"warp_affine, " + how,
       [=](Graph& g, Value<Image> image) {
         return warp_affine(image,
                            {.xx = g.uniform(-2.f, 2.f),
                             .xy = g.uniform(-1.f, 1.f),
                             .x0 = g.uniform(-9.f, 30.f),
                             .yx = g.uniform(-1.f, 1.f),
                             .yy = g.uniform(-2.f, 2.f),
                             .y0 = g.uniform(-9.f, 30.f)},
                            {.height = whole(g, 1, 40),
                             .width = whole(g, 1, 50),
                             .interpolation = way,
                             .border = border,
                             .fill = fill});
       }},
      {"warp_affine with a map that leads there, " + how,
       [=](Graph& g, Value<Image> image) {
         return warp_affine(image, {.xx = cast<float>(whole(g, 0, 3)), .xy = 0.3f, .y0 = 2.f},
                            {.inverse_map = false, .interpolation = way, .border = border});
       }},
  };
}

TEST(DeviceOperator, WarpsAsTheHostDoes) {
  for (const Interpolation way : {Interpolation::nearest, Interpolation::bilinear}) {
    for (const Border border : {Border::constant, Border::edge}) expect_same(warps(way, border));
  }
  expect_same(Case{"rotate", [](Graph& g, Value<Image> image) {
                     return rotate(image, g.uniform(-200.f, 200.f), {.fill = 3});
                   }});
  expect_same(Case{"rotate, edge", [](Graph& g, Value<Image> image) {
                     return rotate(image, g.uniform(-200.f, 200.f), {.border = Border::edge});
                   }});
  expect_same({
      {"transpose", [](Graph&, Value<Image> image) { return transpose(image); }},
      {"flip",
       [](Graph& g, Value<Image> image) {
         return flip(image, {.horizontal = g.coin_flip(0.5f), .vertical = g.coin_flip(0.5f)});
       }},
      {"rot90", [](Graph& g, Value<Image> image) { return rot90(image, whole(g, -9, 9)); }},
      {"d4, not always possible",
       [](Graph& g, Value<Image> image) { return d4(image, whole(g, 0, 9)); }},
  });
}

TEST(DeviceOperator, ResizesAndCropsAsTheHostDoes) {
  expect_same({
      {"resize of a part",
       [](Graph& g, Value<Image> image) {
         return resize(image, {.height = whole(g, 1, 60),
                               .width = whole(g, 1, 60),
                               .mode = ResizeMode::not_smaller,
                               .max_size = 50,
                               .roi_start_y = g.uniform(0.f, 0.5f),
                               .roi_end_x = g.uniform(0.4f, 1.f),
                               .roi_relative = true});
       }},
      {"resize of a part, in pixels",
       [](Graph& g, Value<Image> image) {
         return resize(image, {.shorter = whole(g, 1, 30),
                               .interpolation = Interpolation::bicubic,
                               .max_size = 40,
                               .roi_start_x = g.uniform(0.f, 9.f)});
       }},
      {"downscale",
       [](Graph& g, Value<Image> image) { return downscale(image, g.uniform(-0.1f, 1.f)); }},
      {"downscale by the mean",
       [](Graph& g, Value<Image> image) {
         return downscale(image, g.uniform(0.01f, 1.f), {.interpolation = Interpolation::box});
       }},
      {"crop, trimmed",
       [](Graph& g, Value<Image> image) {
         auto region = g.random("region", [](Random& r) {
           const auto number = [&r](std::uint32_t n) { return static_cast<int>(r.below(n)) - 10; };
           return Rectangle{number(40), number(40), number(50), number(60)};
         });
         return crop(image, region, {.out_of_bounds = OutOfBounds::trim});
       }},
  });
}

TEST(DeviceOperator, MapsLevelsAsTheHostDoes) {
  expect_same({
      {"brightness_contrast",
       [](Graph& g, Value<Image> image) {
         return brightness_contrast(image, {.brightness = g.uniform(0.f, 3.f),
                                            .contrast = g.uniform(0.f, 3.f),
                                            .contrast_center = g.uniform(0.f, 255.f)});
       }},
      {"brightness_contrast, shifted",
       [](Graph& g, Value<Image> image) {
         return brightness_contrast(
             image, {.contrast = g.uniform(0.f, 3.f), .brightness_shift = g.uniform(-1.f, 1.f)});
       }},
      {"lookup_table",
       [](Graph&, Value<Image> image) {
         return lookup_table(image, {9, 8, 7, 255, 0, 3});
       }},
      {"gamma_correction",
       [](Graph& g, Value<Image> image) {
         return gamma_correction(image, g.uniform(0.f, 3.f), g.uniform(0.f, 2.f));
       }},
      {"invert", [](Graph&, Value<Image> image) { return invert(image); }},
      {"posterize", [](Graph& g, Value<Image> image) { return posterize(image, whole(g, 1, 9)); }},
      {"posterize, out of range",
       [](Graph& g, Value<Image> image) { return posterize(image, whole(g, -1, 9)); }},
      {"solarize",
       [](Graph& g, Value<Image> image) { return solarize(image, g.uniform(0.f, 256.f)); }},
  });
}

TEST(DeviceOperator, ChangesColorsAsTheHostDoes) {
  std::vector<Case> cases{
      {"saturation",
       [](Graph& g, Value<Image> image) { return saturation(image, g.uniform(0.f, 4.f)); }},
      {"color_twist",
       [](Graph& g, Value<Image> image) {
         return color_twist(image, {.brightness = g.uniform(0.f, 2.f),
                                    .contrast = g.uniform(0.f, 2.f),
                                    .saturation = g.uniform(0.f, 2.f),
                                    .hue = g.uniform(-400.f, 400.f)});
       }},
      {"color_twist, far too strong",
       [](Graph& g, Value<Image> image) {
         return color_twist(image, {.brightness = g.uniform(0.f, 1e30f), .contrast = 1e8f});
       }},
      {"hue", [](Graph& g, Value<Image> image) { return hue(image, g.uniform(-800.f, 800.f)); }},
      {"hue by whole sixths",
       [](Graph& g, Value<Image> image) {
         return hue(image, cast<float>(whole(g, -6, 7)) * 60.f);
       }},
      {"grayscale, some to 2 channels",
       [](Graph& g, Value<Image> image) { return grayscale(image, {.channels = whole(g, 1, 4)}); }},
      {"permute_channels",
       [](Graph& g, Value<Image> image) {
         auto first = whole(g, 0, 2);
         return permute_channels(image, {.first = first, .second = 2, .third = 1 - first});
       }},
      {"channel_dropout, not always possible",
       [](Graph& g, Value<Image> image) {
         return channel_dropout(image, whole(g, 0, 4), whole(g, 0, 256));
       }},
      {"rgb_shift",
       [](Graph& g, Value<Image> image) {
         return rgb_shift(image, {.red = g.uniform(-300.f, 300.f),
                                  .green = g.uniform(-20.f, 20.f),
                                  .blue = cast<float>(whole(g, -9, 9)) * 0.5f});
       }},
      {"permute_channels, not always possible",
       [](Graph& g, Value<Image> image) {
         return permute_channels(image,
                                 {.first = 2, .second = whole(g, 0, 3), .third = whole(g, 0, 3)});
       }},
  };
  constexpr PixelFormat kFormats[] = {PixelFormat::rgb, PixelFormat::bgr, PixelFormat::ycbcr};
  for (const PixelFormat from : kFormats) {
    for (const PixelFormat to : kFormats) {
      cases.push_back(
          {std::string(name_of(from)) + " to " + name_of(to), [=](Graph&, Value<Image> image) {
             return color_space_conversion(image, {.from = from, .to = to});
           }});
    }
  }
  expect_same(cases);
}

TEST(DeviceOperator, LooksAtAllLevelsAsTheHostDoes) {
  expect_same({
      {"autocontrast",
       [](Graph& g, Value<Image> image) {
         auto weaker = brightness_contrast(image, {.contrast = g.uniform(0.f, 1.f)});
         return autocontrast(weaker);
       }},
      {"clahe",
       [](Graph& g, Value<Image> image) {
         return clahe(image, {.clip_limit = g.uniform(-0.1f, 6.f),
                              .tiles_y = whole(g, 1, 12),
                              .tiles_x = whole(g, 0, 12)});
       }},
      {"clahe of many tiles, without a limit",
       [](Graph&, Value<Image> image) {
         return clahe(image, {.clip_limit = 0.f, .tiles_y = 70, .tiles_x = 40});
       }},
      {"equalize",
       [](Graph& g, Value<Image> image) { return equalize(posterize(image, whole(g, 1, 9))); }},
      {"contrast",
       [](Graph& g, Value<Image> image) { return contrast(image, g.uniform(0.f, 3.f)); }},
      {"contrast, below zero",
       [](Graph& g, Value<Image> image) { return contrast(image, g.uniform(-1.f, 3.f)); }},
  });
}

TEST(DeviceOperator, FiltersAsTheHostDoes) {
  expect_same({
      {"sharpness",
       [](Graph& g, Value<Image> image) { return sharpness(image, g.uniform(0.f, 2.f)); }},
      {"sharpness, very strong",
       [](Graph& g, Value<Image> image) { return sharpness(image, g.uniform(0.f, 120.f)); }},
      {"box_blur",
       [](Graph& g, Value<Image> image) {
         return box_blur(image, {.window_size = whole(g, 0, 8) * 2 + 1});
       }},
      {"box_blur, also even",
       [](Graph& g, Value<Image> image) {
         return box_blur(image, {.window_size = whole(g, 1, 30)});
       }},
      {"gaussian_blur",
       [](Graph& g, Value<Image> image) {
         return gaussian_blur(image,
                              {.sigma = g.uniform(0.1f, 8.f), .sigma_y = g.uniform(0.1f, 3.f)});
       }},
      {"gaussian_blur, sizes given",
       [](Graph& g, Value<Image> image) {
         return gaussian_blur(image, {.window_size = whole(g, 0, 10) * 2 + 1});
       }},
      {"filter_2d",
       [](Graph&, Value<Image> image) {
         return filter_2d(image, {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}});
       }},
      {"filter_2d of 1 x 7",
       [](Graph&, Value<Image> image) {
         return filter_2d(image, {{0.1f, 0.2f, 0.3f, 0.33f, -0.2f, 0.123f, 0.7f}});
       }},
      {"filter_2d of 5 x 3",
       [](Graph&, Value<Image> image) {
         return filter_2d(image, {{.1f, .2f, .3f},
                                  {.3f, 0.f, .1f},
                                  {-.3f, .77f, .1f},
                                  {.7f, .2f, -1.f},
                                  {.1f, .01f, 0.f}});
       }},
      {"laplacian",
       [](Graph& g, Value<Image> image) {
         return laplacian(image, {.window_size = whole(g, 0, 8), .scale = g.uniform(-2.f, 2.f)});
       }},
      {"median_blur",
       [](Graph& g, Value<Image> image) {
         return median_blur(image, {.window_size = whole(g, 3, 6)});
       }},
      {"motion_blur",
       [](Graph& g, Value<Image> image) {
         return motion_blur(image,
                            {.length = whole(g, 0, 40), .degrees = g.uniform(-400.f, 400.f)});
       }},
      {"motion_blur, very long, by eighths of a turn",
       [](Graph& g, Value<Image> image) {
         return motion_blur(
             image, {.length = whole(g, 100, 256), .degrees = cast<float>(whole(g, -4, 5)) * 45.f});
       }},
      {"defocus",
       [](Graph& g, Value<Image> image) {
         return defocus(image, {.radius = whole(g, 0, 12), .alias_blur = g.uniform(-0.2f, 2.f)});
       }},
      {"zoom_blur",
       [](Graph& g, Value<Image> image) {
         return zoom_blur(image, {.max_factor = g.uniform(0.9f, 1.6f),
                                  .step_factor = g.uniform(-0.002f, 0.05f)});
       }},
      {"zoom_blur, without copies",
       [](Graph&, Value<Image> image) { return zoom_blur(image, {.max_factor = 1.f}); }},
      {"dilate",
       [](Graph& g, Value<Image> image) {
         return dilate(image, {.window_height = whole(g, 1, 9), .window_width = whole(g, 0, 70)});
       }},
      {"erode",
       [](Graph& g, Value<Image> image) {
         return erode(image, {.window_height = whole(g, 0, 200), .window_width = whole(g, 1, 9)});
       }},
  });
}

TEST(DeviceOperator, LaysImagesOverEachOtherAsTheHostDoes) {
  expect_same({
      {"blend",
       [](Graph& g, Value<Image> image) { return blend(image, flip(image), g.uniform(0.f, 1.f)); }},
      {"blend of two sizes",
       [](Graph&, Value<Image> image) { return blend(image, transpose(image), 0.25f); }},
      {"paste",
       [](Graph& g, Value<Image> image) {
         auto patch = invert(resize(image, {.height = whole(g, 1, 40), .width = whole(g, 1, 40)}));
         return paste(
             image, patch,
             {.y = whole(g, -30, 60), .x = whole(g, -30, 60), .alpha = g.uniform(0.f, 1.f)});
       }},
      {"paste, not to be seen through",
       [](Graph& g, Value<Image> image) {
         return paste(image, invert(image), {.y = whole(g, -30, 60), .x = whole(g, -65535, 65536)});
       }},
      {"paste of one channel",
       [](Graph&, Value<Image> image) { return paste(image, grayscale(image)); }},
      {"paste through a mask",
       [](Graph& g, Value<Image> image) {
         return paste(image, invert(image), grayscale(image),
                      {.y = whole(g, -9, 9), .x = whole(g, -9, 9), .alpha = g.uniform(0.f, 1.f)});
       }},
      {"paste through a mask of another size",
       [](Graph&, Value<Image> image) { return paste(image, image, transpose(grayscale(image))); }},
  });
}

TEST(DeviceOperator, CoversAsTheHostDoes) {
  const Fill fill(9, 80, 200, 255);
  std::vector<Case> cases{
      {"erase",
       [=](Graph& g, Value<Image> image) {
         return erase(image, {.y = g.uniform(-9.f, 60.f),
                              .x = g.uniform(-9.f, 60.f),
                              .height = g.uniform(-5.f, 50.f),
                              .width = g.uniform(0.f, 50.f),
                              .fill = fill});
       }},
      {"crop, padded",
       [=](Graph& g, Value<Image> image) {
         auto region = g.random("region", [](Random& r) {
           const auto number = [&r](std::uint32_t n) { return static_cast<int>(r.below(n)) - 40; };
           const int far = r.below(10) == 0 ? (r.below(2) == 0 ? INT32_MIN : INT32_MAX) : 0;
           return Rectangle{far == 0 ? number(90) : far, number(90), number(140), number(140)};
         });
         return crop(image, region, {.out_of_bounds = OutOfBounds::pad, .fill = fill});
       }},
      {"expand",
       [=](Graph& g, Value<Image> image) {
         return expand(image, {.ratio = g.uniform(0.9f, 3.f),
                               .y = g.uniform(0.f, 1.f),
                               .x = g.uniform(0.f, 1.f),
                               .fill = fill});
       }},
      {"erase by parts about a middle",
       [=](Graph& g, Value<Image> image) {
         return erase(image, {.y = g.uniform(-0.2f, 1.2f),
                              .x = g.uniform(-0.2f, 1.2f),
                              .height = g.uniform(0.f, 1.f),
                              .width = g.uniform(0.f, 1.f),
                              .normalized = true,
                              .centered = true,
                              .fill = fill});
       }},
      {"erase a region",
       [=](Graph& g, Value<Image> image) {
         auto region = g.random("region", [](Random& r) {
           const auto number = [&r](std::uint32_t n) { return static_cast<int>(r.below(n)) - 10; };
           return Rectangle{number(60), number(60), number(50), number(60)};
         });
         return erase(image, region, {.fill = fill});
       }},
      {"random_erasing",
       [=](Graph&, Value<Image> image) {
         return random_erasing(image, {.probability = 0.8f, .fill = fill});
       }},
      {"random_erasing with noise",
       [=](Graph&, Value<Image> image) {
         return random_erasing(image, {.probability = 0.8f, .fill = fill, .noise = 30.f});
       }},
      {"coarse_dropout with noise, at times",
       [=](Graph& g, Value<Image> image) {
         return coarse_dropout(
             image, {.holes = 5, .fill = fill, .noise = cast<float>(whole(g, -1, 2)) * 40.f});
       }},
      {"coarse_dropout",
       [=](Graph& g, Value<Image> image) {
         return coarse_dropout(image, {.holes = whole(g, -1, 12),
                                       .height = g.uniform(-0.5f, 20.f),
                                       .width = g.uniform(0.f, 20.f),
                                       .fill = fill});
       }},
      {"coarse_dropout by shares, many",
       [=](Graph& g, Value<Image> image) {
         return coarse_dropout(image, {.holes = whole(g, 0, 300),
                                       .height = g.uniform(0.f, 0.2f),
                                       .width = g.uniform(0.f, 0.3f),
                                       .normalized = true});
       }},
      {"grid_mask",
       [=](Graph& g, Value<Image> image) {
         return grid_mask(image, {.tile = whole(g, 1, 30),
                                  .ratio = g.uniform(0.f, 1.f),
                                  .degrees = g.uniform(-400.f, 400.f),
                                  .shift_y = g.uniform(-90.f, 90.f),
                                  .shift_x = g.uniform(-90.f, 90.f),
                                  .fill = fill});
       }},
      {"grid_mask by quarter turns",
       [=](Graph& g, Value<Image> image) {
         return grid_mask(image, {.tile = whole(g, 0, 9),
                                  .degrees = cast<float>(whole(g, -4, 5)) * 90.f,
                                  .fill = fill});
       }},
  };
  for (const Border border : {Border::constant, Border::edge, Border::reflect}) {
    cases.push_back(
        {std::string("pad_image, ") + name_of(border), [=](Graph& g, Value<Image> image) {
           return pad_image(image, {.left = whole(g, -1, 70),
                                    .top = whole(g, 0, 9),
                                    .right = whole(g, 0, 9),
                                    .bottom = whole(g, 0, 70),
                                    .border = border,
                                    .fill = fill});
         }});
    cases.push_back(
        {std::string("pad_image to a size, ") + name_of(border), [=](Graph& g, Value<Image> image) {
           return pad_image(image, {.left = whole(g, 0, 9),
                                    .height = whole(g, 1, 60),
                                    .width = whole(g, 1, 60),
                                    .border = border,
                                    .fill = fill});
         }});
  }
  expect_same(cases);
}

}  // namespace operators_test
}  // namespace sluice::device
