#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/color.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/lazy_image.h>
#include <sluice/ops/point_operators.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

const detail::OperatorPtr& detail::autocontrast_operator() {
  static const OperatorPtr op =
      declare_operator("autocontrast")
          .family("color")
          .summary("Stretches each channel to the range 0 to 255.")
          .in_cpp("autocontrast(image)")
          .input<Image>("image")
          .output<Image>("image")
          .runs([](const Image& in, Image& out) { kernels::autocontrast(in, out); });
  return op;
}

Value<Image> autocontrast(Value<Image> image) {
  return apply_operator<Image>(detail::autocontrast_operator(), image);
}

const detail::OperatorPtr& detail::brightness_contrast_operator() {
  static const OperatorPtr op = runs_by_table(
      kernels::brightness_contrast_table,
      declare_operator("brightness_contrast")
          .family("color")
          .summary("Adjusts brightness and contrast.")
          .in_cpp("brightness_contrast(image, {.brightness = 1.2f, .contrast = 0.8f})")
          .input<Image>("image")
          .parameter<float>("brightness", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>("contrast", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>(
              "contrast_center",
              {.value = 128.f, .help = "the pixel value that contrast leaves unchanged"})
          .parameter<float>("brightness_shift",
                            {.value = 0.f, .help = "added last; 1 turns black into white"})
          .output<Image>("image")
          .composes(composes_colors(
              [](kernels::ComposedColors& colors, float brightness, float contrast, float center,
                 float shift) {
                colors.check_pixels("brightness_contrast");
                kernels::check_brightness_contrast(brightness, contrast, center, shift);
                const double factor = double{brightness} * contrast;
                colors.map_levels(factor, center * (brightness - factor) + 255.0 * shift);
              },
              true)));
  return op;
}

Value<Image> brightness_contrast(Value<Image> image, const BrightnessContrastOptions& options) {
  return apply_operator<Image>(detail::brightness_contrast_operator(), image, options.brightness,
                               options.contrast, options.contrast_center, options.brightness_shift);
}

const detail::OperatorPtr& detail::channel_dropout_operator() {
  static const OperatorPtr op =
      declare_operator("channel_dropout")
          .family("color")
          .summary("Sets one channel to a constant value.")
          .in_cpp("channel_dropout(image, randint(g, 0, 3))")
          .input<Image>("image")
          .parameter<std::int32_t>("channel",
                                   {.low = 0, .high = 3, .help = "the first channel is 0"})
          .parameter<std::int32_t>(
              "fill", {.value = 0, .low = 0, .high = 255, .help = "the new value of the channel"})
          .output<Image>("image")
          .composes(composes_colors(
              [](kernels::ComposedColors& colors, std::int32_t channel, std::int32_t fill) {
                colors.check_pixels("channel_dropout");
                kernels::check_dropped_channel(colors.channels(), channel);
                colors.set_channel(channel, fill);
              },
              true))
          .runs([](const Image& in, std::int32_t channel, std::int32_t fill, Image& out) {
            kernels::channel_dropout(in, channel, static_cast<std::uint8_t>(fill), out);
          });
  return op;
}

Value<Image> channel_dropout(Value<Image> image, Param<std::int32_t> channel,
                             Param<std::int32_t> fill) {
  return apply_operator<Image>(detail::channel_dropout_operator(), image, channel, fill);
}

namespace {

ParameterOptions<std::int32_t> tiles_option(const char* help) {
  return {.value = 8, .low = 1, .high = kernels::kMostTiles, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::clahe_operator() {
  static const OperatorPtr op =
      declare_operator("clahe")
          .family("color")
          .summary("Equalizes local contrast in tiles (CLAHE).")
          .in_cpp("clahe(image, {.clip_limit = 4.f})")
          .input<Image>("image")
          .parameter<float>("clip_limit", {.value = 2.f,
                                           .low = 0,
                                           .high = double{kernels::kLargestClipLimit},
                                           .help = "limit of the contrast gain; 0: no limit"})
          .parameter("tiles_y", tiles_option("number of tiles vertically"))
          .parameter("tiles_x", tiles_option("number of tiles horizontally"))
          .output<Image>("image")
          .runs([](const Image& in, float clip_limit, std::int32_t tiles_y, std::int32_t tiles_x,
                   Image& out) {
            kernels::clahe(in, {clip_limit, tiles_y, tiles_x}, out);
          });
  return op;
}

Value<Image> clahe(Value<Image> image, const ClaheOptions& options) {
  return apply_operator<Image>(detail::clahe_operator(), image, options.clip_limit, options.tiles_y,
                               options.tiles_x);
}

const detail::OperatorPtr& detail::color_space_conversion_operator() {
  static const std::vector<PixelFormat> formats{PixelFormat::rgb, PixelFormat::bgr,
                                                PixelFormat::ycbcr};
  static const OperatorPtr op =
      declare_operator("color_space_conversion")
          .family("color")
          .summary("Converts pixels between RGB, BGR and JPEG's YCbCr.")
          .in_cpp("color_space_conversion(image, {.to = PixelFormat::ycbcr})")
          .input<Image>("image")
          .choice("from", PixelFormat::rgb, formats, "format of the input")
          .choice("to", PixelFormat::ycbcr, formats, "format of the output")
          .output<Image>("image")
          .composes(composes_colors(
              [](kernels::ComposedColors& colors, PixelFormat from, PixelFormat to) {
                colors.check_three_colors("color_space_conversion");
                if (from != to) colors.apply(kernels::color_space_matrix(from, to));
              }))
          .runs([](const Image& in, PixelFormat from, PixelFormat to, Image& out) {
            kernels::color_space_conversion(in, from, to, out);
          });
  return op;
}

Value<Image> color_space_conversion(Value<Image> image,
                                    const ColorSpaceConversionOptions& options) {
  return apply_operator<Image>(detail::color_space_conversion_operator(), image, options.from,
                               options.to);
}

const detail::OperatorPtr& detail::color_twist_operator() {
  static const OperatorPtr op =
      declare_operator("color_twist")
          .family("color")
          .summary("Adjusts brightness, contrast, saturation and hue with one matrix, as in DALI.")
          .in_cpp("color_twist(image, {.brightness = 1.2f, .saturation = 0.8f, .hue = 10.f})")
          .input<Image>("image")
          .parameter<float>("brightness", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>(
              "contrast",
              {.value = 1.f, .low = 0, .help = "about the pixel value 128; 1 changes nothing"})
          .parameter<float>("saturation", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>("hue", {.value = 0.f, .help = "in degrees; 0 changes nothing"})
          .output<Image>("image")
          .composes(composes_colors([](kernels::ComposedColors& colors, float brightness,
                                       float contrast, float saturation, float hue) {
            colors.check_colors("color_twist");
            const kernels::ColorMatrix matrix =
                kernels::color_twist_matrix({brightness, contrast, saturation, hue});
            if (colors.channels() != 1) return colors.apply(matrix);
            const double factor = double{brightness} * contrast;
            colors.map_levels(factor, 128 * (brightness - factor));
          }))
          .runs([](const Image& in, float brightness, float contrast, float saturation, float hue,
                   Image& out) {
            kernels::color_twist(in, {brightness, contrast, saturation, hue}, out);
          });
  return op;
}

Value<Image> color_twist(Value<Image> image, const ColorTwistOptions& options) {
  return apply_operator<Image>(detail::color_twist_operator(), image, options.brightness,
                               options.contrast, options.saturation, options.hue);
}

const detail::OperatorPtr& detail::contrast_operator() {
  static const OperatorPtr op =
      declare_operator("contrast")
          .family("color")
          .summary("Adjusts contrast about the image's mean luma.")
          .in_cpp("contrast(image, 1.5f)")
          .input<Image>("image")
          .parameter<float>(
              "factor", {.low = 0, .help = "0 makes the image uniformly gray, 1 changes nothing"})
          .output<Image>("image")
          .runs([](const Image& in, float factor, Image& out) {
            kernels::contrast(in, factor, out);
          });
  return op;
}

Value<Image> contrast(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::contrast_operator(), image, factor);
}

const detail::OperatorPtr& detail::equalize_operator() {
  static const OperatorPtr op =
      declare_operator("equalize")
          .family("color")
          .summary("Equalizes the histogram of each channel.")
          .in_cpp("equalize(image)")
          .input<Image>("image")
          .output<Image>("image")
          .runs([](const Image& in, Image& out) { kernels::equalize(in, out); });
  return op;
}

Value<Image> equalize(Value<Image> image) {
  return apply_operator<Image>(detail::equalize_operator(), image);
}

const detail::OperatorPtr& detail::gamma_correction_operator() {
  static const OperatorPtr op = runs_by_table(
      kernels::gamma_correction_table,
      declare_operator("gamma_correction")
          .family("color")
          .summary("Raises pixel values, as fractions of 255, to the power gamma and multiplies "
                   "them by gain.")
          .in_cpp("gamma_correction(image, 0.8f)")
          .input<Image>("image")
          .parameter<float>("gamma", {.low = 0, .help = "below 1 makes dark parts lighter"})
          .parameter<float>("gain", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .output<Image>("image"));
  return op;
}

Value<Image> gamma_correction(Value<Image> image, Param<float> gamma, Param<float> gain) {
  return apply_operator<Image>(detail::gamma_correction_operator(), image, gamma, gain);
}

const detail::OperatorPtr& detail::grayscale_operator() {
  static const OperatorPtr op =
      declare_operator("grayscale")
          .family("color")
          .summary("Converts colors to their luma.")
          .in_cpp("grayscale(image)")
          .in_cpp("grayscale(image, {.channels = 3})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "channels", {.value = 1, .low = 1, .high = 3, .help = "of the result: 1, or 3 equal"})
          .output<Image>("image")
          .checks([](const Arguments& arguments) {
            const auto* channels = constant_of<std::int32_t>(arguments[1]);
            if (channels != nullptr) kernels::check_gray_channels(*channels);
          })
          .composes(composes_colors([](kernels::ComposedColors& colors, std::int32_t channels) {
            colors.check_colors("grayscale");
            kernels::check_gray_channels(channels);
            colors.to_gray(channels);
          }))
          .runs([](const Image& in, std::int32_t channels, Image& out) {
            kernels::grayscale(in, channels, out);
          });
  return op;
}

Value<Image> grayscale(Value<Image> image, const GrayscaleOptions& options) {
  return apply_operator<Image>(detail::grayscale_operator(), image, options.channels);
}

const detail::OperatorPtr& detail::hue_operator() {
  static const OperatorPtr op =
      declare_operator("hue")
          .family("color")
          .summary("Rotates hues by an angle in degrees, in HSV.")
          .in_cpp("hue(image, g.uniform(-18.f, 18.f))")
          .input<Image>("image")
          .parameter<float>("degrees", {.help = "0 changes nothing; red becomes green at 120"})
          .output<Image>("image")
          .runs([](const Image& in, float degrees, Image& out) { kernels::hue(in, degrees, out); });
  return op;
}

Value<Image> hue(Value<Image> image, Param<float> degrees) {
  return apply_operator<Image>(detail::hue_operator(), image, degrees);
}

const detail::OperatorPtr& detail::invert_operator() {
  static const OperatorPtr op =
      defers_by_table(kernels::invert_table,
                      declare_operator("invert")
                          .family("color")
                          .summary("Inverts pixel values: x becomes 255 - x.")
                          .in_cpp("invert(image)")
                          .input<Image>("image")
                          .output<Image>("image"))
          .composes(composes_colors(
              [](kernels::ComposedColors& colors) {
                colors.check_pixels("invert");
                colors.map_levels(-1, 255);
              },
              true))
          .runs([](const Image& in, Image& out) {
            kernels::check_pixels("invert", in);
            out.create(in.height(), in.width(), in.channels());
            for (int y = 0; y < in.height(); ++y) {
              const std::uint8_t* from = in.row(y);
              std::uint8_t* to = out.row(y);
              for (std::size_t i = 0; i < in.row_bytes(); ++i)
                to[i] = static_cast<std::uint8_t>(255 - from[i]);
            }
          });
  return op;
}

Value<Image> invert(Value<Image> image) {
  return apply_operator<Image>(detail::invert_operator(), image);
}

const detail::OperatorPtr& detail::jpeg_distortion_operator() {
  static const OperatorPtr op =
      declare_operator("jpeg_distortion")
          .family("color")
          .summary("Adds JPEG compression artifacts.")
          .in_cpp("jpeg_distortion(image, 20)")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "quality",
              {.value = 50, .low = 1, .high = 100, .help = "of the JPEG file; 100 is the best"})
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t quality, Image& out) {
            kernels::jpeg_distortion(in, quality, out);
          });
  return op;
}

Value<Image> jpeg_distortion(Value<Image> image, Param<int> quality) {
  return apply_operator<Image>(detail::jpeg_distortion_operator(), image, quality);
}

namespace {

using LevelNumbers = std::array<float, 256>;

}  // namespace

const detail::OperatorPtr& detail::lookup_table_operator() {
  static const OperatorPtr op = runs_by_table(
      kernels::rounded_table,
      declare_operator("lookup_table")
          .family("color")
          .summary("Maps each pixel value through a lookup table.")
          .in_cpp("lookup_table(image, [](int value) { return value / 64 * 85; })")
          .input<Image>("image")
          .constant<LevelNumbers>(
              "levels", {.low = 0, .high = 255, .help = "the outputs for 0, 1, ... 255, rounded"})
          .output<Image>("image"));
  return op;
}

Value<Image> lookup_table(Value<Image> image, const std::array<std::uint8_t, 256>& levels) {
  LevelNumbers numbers{};
  std::copy(levels.begin(), levels.end(), numbers.begin());
  return apply_operator<Image>(detail::lookup_table_operator(), image, numbers);
}

const detail::OperatorPtr& detail::permute_channels_operator() {
  static const OperatorPtr op =
      declare_operator("permute_channels")
          .family("color")
          .summary("Reorders the three color channels.")
          .in_cpp("permute_channels(image, {.first = 2, .third = 0})")
          .input<Image>("image")
          .parameter<std::int32_t>("first", {.value = 0,
                                             .low = 0,
                                             .high = 2,
                                             .help = "input channel of the first output channel"})
          .parameter<std::int32_t>("second", {.value = 1,
                                              .low = 0,
                                              .high = 2,
                                              .help = "input channel of the second output channel"})
          .parameter<std::int32_t>("third", {.value = 2,
                                             .low = 0,
                                             .high = 2,
                                             .help = "input channel of the third output channel"})
          .output<Image>("image")
          .checks([](const Arguments& arguments) {
            const auto* first = constant_of<std::int32_t>(arguments[1]);
            const auto* second = constant_of<std::int32_t>(arguments[2]);
            const auto* third = constant_of<std::int32_t>(arguments[3]);
            if (first == nullptr || second == nullptr || third == nullptr) return;
            kernels::check_channel_order({*first, *second, *third});
          })
          .composes(composes_colors([](kernels::ComposedColors& colors, std::int32_t first,
                                       std::int32_t second, std::int32_t third) {
            colors.check_three_colors("permute_channels");
            colors.apply(kernels::channel_order_matrix({first, second, third}));
          }))
          .runs([](const Image& in, std::int32_t first, std::int32_t second, std::int32_t third,
                   Image& out) {
            kernels::permute_channels(in, {first, second, third}, out);
          });
  return op;
}

Value<Image> permute_channels(Value<Image> image, const PermuteChannelsOptions& options) {
  return apply_operator<Image>(detail::permute_channels_operator(), image, options.first,
                               options.second, options.third);
}

const detail::OperatorPtr& detail::posterize_operator() {
  static const OperatorPtr op = runs_by_table(
      kernels::posterize_table,
      declare_operator("posterize")
          .family("color")
          .summary("Keeps only the upper bits of each pixel value.")
          .in_cpp("posterize(image, 4)")
          .input<Image>("image")
          .parameter<std::int32_t>("bits",
                                   {.low = 1, .high = 8, .help = "bits to keep; 8 changes nothing"})
          .output<Image>("image"));
  return op;
}

Value<Image> posterize(Value<Image> image, Param<std::int32_t> bits) {
  return apply_operator<Image>(detail::posterize_operator(), image, bits);
}

const detail::OperatorPtr& detail::rgb_shift_operator() {
  static const OperatorPtr op =
      declare_operator("rgb_shift")
          .family("color")
          .summary("Adds a number to each color channel.")
          .in_cpp("rgb_shift(image, {.red = g.uniform(-20.f, 20.f)})")
          .input<Image>("image")
          .parameter<float>("red", {.value = 0.f, .help = "added to the first channel"})
          .parameter<float>("green", {.value = 0.f, .help = "added to the second channel"})
          .parameter<float>("blue", {.value = 0.f, .help = "added to the third channel"})
          .output<Image>("image")
          .composes(composes_colors(
              [](kernels::ComposedColors& colors, float red, float green, float blue) {
                colors.check_three_colors("rgb_shift");
                colors.apply(kernels::rgb_shift_matrix({red, green, blue}));
              }))
          .runs([](const Image& in, float red, float green, float blue, Image& out) {
            kernels::rgb_shift(in, {red, green, blue}, out);
          });
  return op;
}

Value<Image> rgb_shift(Value<Image> image, const RgbShiftOptions& options) {
  return apply_operator<Image>(detail::rgb_shift_operator(), image, options.red, options.green,
                               options.blue);
}

const detail::OperatorPtr& detail::saturation_operator() {
  static const OperatorPtr op =
      declare_operator("saturation")
          .family("color")
          .summary("Adjusts color saturation.")
          .in_cpp("saturation(image, 1.5f)")
          .input<Image>("image")
          .parameter<float>("factor",
                            {.low = 0, .help = "0 makes the image gray, 1 changes nothing"})
          .output<Image>("image")
          .composes(composes_colors([](kernels::ComposedColors& colors, float factor) {
            colors.check_colors("saturation");
            const kernels::ColorMatrix matrix = kernels::saturation_matrix(factor);
            if (colors.channels() != 1) colors.apply(matrix);
          }))
          .runs([](const Image& in, float factor, Image& out) {
            kernels::saturation(in, factor, out);
          });
  return op;
}

Value<Image> saturation(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::saturation_operator(), image, factor);
}

const detail::OperatorPtr& detail::solarize_operator() {
  static const OperatorPtr op = runs_by_table(
      kernels::solarize_table,
      declare_operator("solarize")
          .family("color")
          .summary("Inverts pixel values from a threshold on.")
          .in_cpp("solarize(image, 128)")
          .input<Image>("image")
          .parameter<float>(
              "threshold",
              {.value = 128.f, .low = 0, .high = 256, .help = "0 inverts all values, 256 none"})
          .output<Image>("image"));
  return op;
}

Value<Image> solarize(Value<Image> image, Param<float> threshold) {
  return apply_operator<Image>(detail::solarize_operator(), image, threshold);
}

}  // namespace sluice
