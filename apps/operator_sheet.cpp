#include "operator_sheet.h"

#include "outputs.h"
#include "pictures.h"
#include "sheet.h"
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/color_space_conversion.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/noise.h>
#include <sluice/ops/occlusion.h>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace sluice::app {
namespace {

// The macro turns the code into its text too, so both are the same.
#define SLUICE_EFFECT(name, ...)                                                                  \
  Effect {                                                                                        \
    name, #__VA_ARGS__,                                                                           \
        []([[maybe_unused]] Graph& g, Value<Image> image) -> Value<Image> { return __VA_ARGS__; } \
  }

}  // namespace

const std::vector<Effect>& effects() {
  static const std::vector<Effect> all = {
      SLUICE_EFFECT("autocontrast", autocontrast(image)),
      SLUICE_EFFECT("brightness_contrast", brightness_contrast(image, {.brightness = 1.3f})),
      SLUICE_EFFECT("clahe", clahe(image, {.clip_limit = 4.f, .tiles_y = 2, .tiles_x = 2})),
      SLUICE_EFFECT("color_space_conversion",
                    color_space_conversion(image, {.to = PixelFormat::bgr})),
      SLUICE_EFFECT("color_twist", color_twist(image, {.saturation = 1.5f, .hue = 60.f})),
      SLUICE_EFFECT("contrast", contrast(image, 1.6f)),
      SLUICE_EFFECT("equalize", equalize(image)),
      SLUICE_EFFECT("gamma_correction", gamma_correction(image, 0.5f)),
      SLUICE_EFFECT("grayscale", grayscale(image)),
      SLUICE_EFFECT("hue", hue(image, 120.f)),
      SLUICE_EFFECT("invert", invert(image)),
      SLUICE_EFFECT("jpeg_distortion", jpeg_distortion(image, 8)),
      SLUICE_EFFECT("lookup_table", lookup_table(image, [](int level) { return level / 64 * 85; })),
      SLUICE_EFFECT("permute_channels",
                    permute_channels(image, {.first = 1, .second = 2, .third = 0})),
      SLUICE_EFFECT("posterize", posterize(image, 2)),
      SLUICE_EFFECT("saturation", saturation(image, 0.3f)),
      SLUICE_EFFECT("solarize", solarize(image, 128.f)),
      SLUICE_EFFECT("box_blur", box_blur(image, {.window_size = 7})),
      SLUICE_EFFECT("dilate", dilate(image, {.window_height = 5, .window_width = 5})),
      SLUICE_EFFECT("erode", erode(image)),
      SLUICE_EFFECT("filter_2d", filter_2d(image, {{-2, -1, 0}, {-1, 1, 1}, {0, 1, 2}})),
      SLUICE_EFFECT("gaussian_blur", gaussian_blur(image, {.sigma = 2.f})),
      SLUICE_EFFECT("laplacian", laplacian(image)),
      SLUICE_EFFECT("median_blur", median_blur(image, {.window_size = 5})),
      SLUICE_EFFECT("motion_blur", motion_blur(image, {.length = 15, .degrees = 30.f})),
      SLUICE_EFFECT("sharpness", sharpness(image, 4.f)),
      SLUICE_EFFECT("center_crop", center_crop(image, {.width = 80, .height = 80})),
      SLUICE_EFFECT("crop", crop(image, g.constant(Rectangle{20, 40, 60, 90}))),
      SLUICE_EFFECT("crop_padded", crop(image, g.constant(Rectangle{-20, 40, 90, 120}),
                                        {.out_of_bounds = OutOfBounds::pad, .fill = 128})),
      SLUICE_EFFECT("elastic", elastic(image, {.alpha = 150.f, .sigma = 5.f})),
      SLUICE_EFFECT("expand", expand(image, {.ratio = 1.5f, .x = 0.2f, .fill = 128})),
      SLUICE_EFFECT("flip", flip(image, {.horizontal = true})),
      SLUICE_EFFECT("lens_distortion", lens_distortion(image, {.k1 = 0.4f})),
      SLUICE_EFFECT("pad_image", pad_image(image, {.left = 20, .top = 10, .fill = 128})),
      SLUICE_EFFECT("perspective", perspective(image, {0, 0, 99, 0, 99, 99, 0, 99},
                                               {20, 0, 80, 9, 99, 99, 0, 80})),
      SLUICE_EFFECT("resize", resize(image, {.width = 60, .height = 120})),
      SLUICE_EFFECT("rotate", rotate(image, 20.f)),
      SLUICE_EFFECT("shear", shear(image, {.x = 0.3f})),
      SLUICE_EFFECT("translate", translate(image, {.x = 20.f, .y = 10.f})),
      SLUICE_EFFECT("transpose", transpose(image)),
      SLUICE_EFFECT("warp_affine", warp_affine(image, {1, 0.2f, 0, -0.2f, 1, 20})),
      SLUICE_EFFECT("warp_perspective", warp_perspective(image, {.yy = 0.9f, .wx = 0.004f})),
      SLUICE_EFFECT("blend", blend(image, flip(image))),
      SLUICE_EFFECT("paste", paste(image, invert(image), {.y = 40, .x = -30})),
      SLUICE_EFFECT("paste_masked", paste(image, invert(image), grayscale(image))),
      SLUICE_EFFECT("gaussian_noise", gaussian_noise(image, {.stddev = 30.f})),
      SLUICE_EFFECT("jitter", jitter(image, 5)),
      SLUICE_EFFECT("salt_and_pepper_noise", salt_and_pepper_noise(image)),
      SLUICE_EFFECT("shot_noise", shot_noise(image, 20.f)),
      SLUICE_EFFECT("erase", erase(image, {.y = 20.f, .x = 30.f, .height = 40.f, .width = 40.f})),
      SLUICE_EFFECT("erase_region", erase(image, g.constant(Rectangle{10, 10, 30, 50}))),
      SLUICE_EFFECT("grid_mask", grid_mask(image, {.tile = 24, .degrees = 20.f})),
  };
  return all;
}

Image effect_picture() {
  const auto pictures = demo_pictures();
  const auto boat = std::find_if(pictures.begin(), pictures.end(),
                                 [](const Picture& picture) { return picture.name == "boat.jpg"; });
  Image large, image;
  decode_jpeg_image(boat->file, {}, large);
  // In its final size: shrinking would hide the effect of a filter.
  const int width = ContactSheet::kThumb;
  kernels::resize(large, width * large.height() / large.width(), width, Interpolation::bilinear,
                  image);
  return image;
}

Image effect_on(const Effect& effect, const Image& picture) {
  auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
    return effect.apply(g, g.source(1, [&](const SampleInfo&) { return picture.clone(); }));
  });
  auto epoch = pipeline.epoch();
  return epoch.next()->get<0>()[0].clone();
}

void write_effects(const std::string& file) {
  const Image picture = effect_picture();
  ContactSheet sheet("what operators do", "each with the line of C++ that does it");
  for (const Effect& effect : effects())
    sheet.add(effect.name, effect.code, Fate::changed, picture, effect_on(effect, picture));
  write_file(file, encode_jpeg(sheet.draw(), {.quality = 80, .progressive = true}));
  fmt::print("{} operators: {}\n", sheet.size(), file);
}

}  // namespace sluice::app
