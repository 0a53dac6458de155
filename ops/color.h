// Operators on pixel values: lookup tables, matrices, equalization.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sluice {

// autocontrast: stretches each channel to the range 0 to 255.
//
// | takes | layout, type | channels  | returns           |
// |-------|--------------|-----------|-------------------|
// | Image | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// As in torchvision and Pillow. A channel with a single value, and a fourth channel, are not
// changed. See ops/kernels/levels.h.
Value<Image> autocontrast(Value<Image> image);

namespace detail {
const OperatorPtr& autocontrast_operator();
}  // namespace detail

// brightness_contrast: changes the brightness and contrast of an image.
//
// | takes                       | layout, type | channels | returns           |
// |-----------------------------|--------------|----------|-------------------|
// | Image, brightness, contrast | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// For the formula see ops/kernels/levels.h. A brightness or contrast of 1 changes
// nothing; neither does a brightness_shift of 0.
struct BrightnessContrastOptions {
  Param<float> brightness = 1.f;
  Param<float> contrast = 1.f;
  Param<float> contrast_center = 128.f;  // the pixel value that contrast does not change, 0 to 255
  Param<float> brightness_shift = 0.f;   // added last; 1 makes black white
};

Value<Image> brightness_contrast(Value<Image> image, const BrightnessContrastOptions& options);

namespace detail {
const OperatorPtr& brightness_contrast_operator();
}  // namespace detail

// channel_dropout: sets one channel to a constant value.
//
// | takes                | layout, type | channels | returns           |
// |----------------------|--------------|----------|-------------------|
// | Image, channel, fill | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// channel: 0 to 3; draw it with randint(). fill: 0 to 255. Errors of a sample: a channel that its
// image does not have.
Value<Image> channel_dropout(Value<Image> image, Param<std::int32_t> channel,
                             Param<std::int32_t> fill = 0);

namespace detail {
const OperatorPtr& channel_dropout_operator();
}  // namespace detail

// clahe: equalizes contrast locally (CLAHE).
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1, 3, 4  | Image of the same size  |
//
// See ops/kernels/levels.h. Errors of a sample: images of 2 channels.
struct ClaheOptions {
  Param<float> clip_limit = 2.f;  // limit of the contrast gain; 0: no limit
  Param<int> tiles_y = 8, tiles_x = 8;
};

Value<Image> clahe(Value<Image> image, const ClaheOptions& options = {});

namespace detail {
const OperatorPtr& clahe_operator();
}  // namespace detail

// color_space_conversion: converts pixels from one color format to another.
//
// | takes           | layout, type | channels | returns           |
// |-----------------|--------------|----------|-------------------|
// | Image, from, to | HWC, 8 bit   | 3 or 4   | Image, same shape |
//
// YCbCr is JPEG's, with the full range. A fourth channel is not changed. See
// ops/kernels/color.h.
struct ColorSpaceConversionOptions {
  PixelFormat from = PixelFormat::rgb;
  PixelFormat to = PixelFormat::ycbcr;
};

Value<Image> color_space_conversion(Value<Image> image, const ColorSpaceConversionOptions& options);

namespace detail {
const OperatorPtr& color_space_conversion_operator();
}  // namespace detail

// color_twist: changes brightness, contrast, saturation and hue in one step.
//
// | takes              | layout, type | channels  | returns           |
// |--------------------|--------------|-----------|-------------------|
// | Image, the options | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// DALI's matrix: contrast pivots at the pixel value 128, and hues rotate linearly in YIQ. The order
// is fixed: saturation and hue, then contrast, then brightness. Values are clipped once, at the
// end. A fourth channel is not changed. See ops/kernels/color.h.
struct ColorTwistOptions {
  Param<float> brightness = 1.f;
  Param<float> contrast = 1.f;
  Param<float> saturation = 1.f;
  Param<float> hue = 0.f;  // degrees
};

Value<Image> color_twist(Value<Image> image, const ColorTwistOptions& options);

namespace detail {
const OperatorPtr& color_twist_operator();
}  // namespace detail

// contrast: moves pixel values away from the image's mean luma, or towards it.
//
// | takes         | layout, type | channels  | returns           |
// |---------------|--------------|-----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// 0 sets every pixel to the mean; 1 changes nothing. The pivot is the image's own mean, as in
// torchvision and Pillow; brightness_contrast has one pivot for all images, like DALI's contrast. A
// fourth channel is not changed. See ops/kernels/levels.h.
Value<Image> contrast(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& contrast_operator();
}  // namespace detail

// equalize: equalizes the histogram of each channel.
//
// | takes | layout, type | channels  | returns           |
// |-------|--------------|-----------|-------------------|
// | Image | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// Pillow's lookup table, bit for bit. A channel with a single value, and a fourth channel, are not
// changed. See ops/kernels/levels.h.
Value<Image> equalize(Value<Image> image);

namespace detail {
const OperatorPtr& equalize_operator();
}  // namespace detail

// gamma_correction: applies a power curve to the pixel values.
//
// | takes              | layout, type | channels | returns           |
// |--------------------|--------------|----------|-------------------|
// | Image, gamma, gain | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// out = 255 * (x / 255)^gamma * gain, rounded to nearest: see ops/kernels/levels.h. A
// gamma below 1 lightens dark parts. A gamma of 1 with a gain of 1 changes nothing.
Value<Image> gamma_correction(Value<Image> image, Param<float> gamma, Param<float> gain = 1.f);

namespace detail {
const OperatorPtr& gamma_correction_operator();
}  // namespace detail

// grayscale: converts colors to luma.
//
// | takes           | layout, type | channels  | returns                  |
// |-----------------|--------------|-----------|--------------------------|
// | Image, channels | HWC, 8 bit   | 1, 3 or 4 | Image of 1 or 3 channels |
//
// channels: 1, or 3 equal channels. Pillow's luma, bit for bit; a fourth channel is dropped. See
// ops/kernels/color.h.
struct GrayscaleOptions {
  Param<std::int32_t> channels = 1;  // of the result: 1 or 3
};

Value<Image> grayscale(Value<Image> image, const GrayscaleOptions& options = {});

namespace detail {
const OperatorPtr& grayscale_operator();
}  // namespace detail

// hue: rotates the hues of an image.
//
// | takes          | layout, type | channels  | returns           |
// |----------------|--------------|-----------|-------------------|
// | Image, degrees | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// Uses HSV, like torchvision's adjust_hue, whose factor is degrees / 360; any finite number.
// color_twist rotates hues linearly, like DALI. An image of one channel, and a fourth channel, are
// not changed. See ops/kernels/color.h.
Value<Image> hue(Value<Image> image, Param<float> degrees);

namespace detail {
const OperatorPtr& hue_operator();
}  // namespace detail

// invert: replaces each pixel value x by 255 - x.
//
// | takes | layout, type | channels | returns           |
// |-------|--------------|----------|-------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, same shape |
Value<Image> invert(Value<Image> image);

namespace detail {
const OperatorPtr& invert_operator();
}  // namespace detail

// jpeg_distortion: adds JPEG compression artifacts.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1, 3     | Image of the same size  |
//
// See ops/kernels/noise.h. Errors of a sample: images of 2 or 4 channels, and a side of
// more than 65500 pixels.

// quality: 1 to 100, the scale of the Independent JPEG Group.
Value<Image> jpeg_distortion(Value<Image> image, Param<int> quality = 50);

namespace detail {
const OperatorPtr& jpeg_distortion_operator();
}  // namespace detail

// lookup_table: maps each pixel value through a table.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |

// Pixel value x becomes levels[x], in all channels. Missing entries are 0.
Value<Image> lookup_table(Value<Image> image, const std::array<std::uint8_t, 256>& levels);

// Pixel value x becomes level(x), clipped to 0 .. 255. level is called once per value, when the
// graph is built.
template <class F>
requires std::is_invocable_r_v<int, const F&, int> Value<Image> lookup_table(Value<Image> image,
                                                                             const F& level) {
  std::array<std::uint8_t, 256> levels{};
  for (std::size_t x = 0; x < levels.size(); ++x) {
    int to = level(static_cast<int>(x));
    if (to < 0) to = 0;
    if (to > 255) to = 255;
    levels[x] = static_cast<std::uint8_t>(to);
  }
  return lookup_table(image, levels);
}

namespace detail {
const OperatorPtr& lookup_table_operator();
}  // namespace detail

// permute_channels: reorders the three color channels.
//
// | takes                       | layout, type | channels | returns           |
// |-----------------------------|--------------|----------|-------------------|
// | Image, first, second, third | HWC, 8 bit   | 3 or 4   | Image, same shape |
//
// first, second and third: the input channels that become channels 0, 1 and 2. They are 0, 1 and 2
// in some order. A fourth channel stays in place.
struct PermuteChannelsOptions {
  Param<std::int32_t> first = 0;
  Param<std::int32_t> second = 1;
  Param<std::int32_t> third = 2;
};

Value<Image> permute_channels(Value<Image> image, const PermuteChannelsOptions& options);

namespace detail {
const OperatorPtr& permute_channels_operator();
}  // namespace detail

// posterize: keeps only the upper bits of each pixel value.
//
// | takes       | layout, type | channels | returns           |
// |-------------|--------------|----------|-------------------|
// | Image, bits | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// bits: 1 to 8; 8 changes nothing. See ops/kernels/levels.h.
Value<Image> posterize(Value<Image> image, Param<std::int32_t> bits);

namespace detail {
const OperatorPtr& posterize_operator();
}  // namespace detail

// rgb_shift: adds a number to each color channel.
//
// | takes                   | layout, type | channels | returns           |
// |-------------------------|--------------|----------|-------------------|
// | Image, red, green, blue | HWC, 8 bit   | 3 or 4   | Image, same shape |
//
// The sums are rounded and clipped to 0 .. 255. A fourth channel is not changed. See
// ops/kernels/color.h.
struct RgbShiftOptions {
  Param<float> red = 0.f, green = 0.f, blue = 0.f;
};

Value<Image> rgb_shift(Value<Image> image, const RgbShiftOptions& options);

namespace detail {
const OperatorPtr& rgb_shift_operator();
}  // namespace detail

// saturation: makes colors stronger or paler.
//
// | takes         | layout, type | channels  | returns           |
// |---------------|--------------|-----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// 0 makes the image gray, 1 changes nothing. Luma uses the weights of torchvision and Pillow. An
// image of one channel, and a fourth channel, are not changed. See ops/kernels/color.h.
Value<Image> saturation(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& saturation_operator();
}  // namespace detail

// solarize: inverts all pixel values from a threshold on.
//
// | takes            | layout, type | channels | returns           |
// |------------------|--------------|----------|-------------------|
// | Image, threshold | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// threshold: 0 inverts all pixel values, 256 none. See ops/kernels/levels.h.
Value<Image> solarize(Value<Image> image, Param<float> threshold = 128.f);

namespace detail {
const OperatorPtr& solarize_operator();
}  // namespace detail

}  // namespace sluice
