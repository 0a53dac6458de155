// Operators on pixel values: tables, matrices, equalization, normalization.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/color_space_conversion.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sluice {

// autocontrast: each channel stretched, so that it goes from 0 to 255.
//
// | takes | layout, type | channels  | gives             |
// |-------|--------------|-----------|-------------------|
// | Image | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// As torchvision and Pillow do it. A channel of one level, and a fourth channel, stay as they are.
// See ops/kernels/autocontrast.h.
Value<Image> autocontrast(Value<Image> image);

namespace detail {
const OperatorPtr& autocontrast_operator();
}  // namespace detail

// brightness_contrast: pictures made brighter or darker, with more or less contrast.
//
// | takes                      | layout, type | channels | gives             |
// |----------------------------|--------------|----------|-------------------|
// | Image, brightness, contrast | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The formula stands in ops/kernels/brightness_contrast.h. 1 changes nothing; of brightness_shift,
// 0.
struct BrightnessContrastOptions {
  Param<float> brightness = 1.f;
  Param<float> contrast = 1.f;
  Param<float> contrast_center = 128.f;  // the level that contrast leaves alone, 0 to 255
  Param<float> brightness_shift = 0.f;   // added at last; 1 makes black white
};

Value<Image> brightness_contrast(Value<Image> image, const BrightnessContrastOptions& options);

namespace detail {
const OperatorPtr& brightness_contrast_operator();
}  // namespace detail

// clahe: contrast evened out from place to place (CLAHE).
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1, 3, 4  | Image of the same size  |
//
// Pixels: see ops/kernels/clahe.h. Errors of a sample: pictures of 2 channels.
struct ClaheOptions {
  Param<float> clip_limit = 2.f;  // how much contrast may grow; 0: as much as it can
  Param<int> tiles_y = 8, tiles_x = 8;
};

Value<Image> clahe(Value<Image> image, const ClaheOptions& options = {});

namespace detail {
const OperatorPtr& clahe_operator();
}  // namespace detail

// color_space_conversion: pixels of one format become those of another.
//
// | takes           | layout, type | channels | gives             |
// |-----------------|--------------|----------|-------------------|
// | Image, from, to | HWC, 8 bit   | 3 or 4   | Image, same shape |
//
// YCbCr is that of JPEG, of the full range. A fourth channel stays as it is. See
// ops/kernels/color_space_conversion.h.
struct ColorSpaceConversionOptions {
  PixelFormat from = PixelFormat::rgb;
  PixelFormat to = PixelFormat::ycbcr;
};

Value<Image> color_space_conversion(Value<Image> image, const ColorSpaceConversionOptions& options);

namespace detail {
const OperatorPtr& color_space_conversion_operator();
}  // namespace detail

// color_twist: brightness, contrast, saturation and hue in one step.
//
// | takes              | layout, type | channels  | gives             |
// |--------------------|--------------|-----------|-------------------|
// | Image, the options | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// DALI's matrix: the contrast is about the level 128, and hues are turned linearly in YIQ. The
// order is fixed: saturation and hue, then contrast, then brightness; levels are cut off only once,
// at the end. A fourth channel stays as it is. See ops/kernels/color_twist.h.
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

// contrast: levels drawn away from the picture's mean luma, or towards it.
//
// | takes         | layout, type | channels  | gives             |
// |---------------|--------------|-----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// 0 leaves the mean alone everywhere, 1 changes nothing. The pivot is the picture's own, as in
// torchvision and Pillow; brightness_contrast has a level for all pictures, as DALI's contrast. A
// fourth channel stays as it is. See ops/kernels/contrast.h.
Value<Image> contrast(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& contrast_operator();
}  // namespace detail

// equalize: each channel's levels spread so that about as many pixels have each.
//
// | takes | layout, type | channels  | gives             |
// |-------|--------------|-----------|-------------------|
// | Image | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// Pillow's table, bit for bit. A channel of one level, and a fourth channel, stay as they are. See
// ops/kernels/equalize.h.
Value<Image> equalize(Value<Image> image);

namespace detail {
const OperatorPtr& equalize_operator();
}  // namespace detail

// gamma_correction: dark and light levels drawn apart or together by a power.
//
// | takes              | layout, type | channels | gives             |
// |--------------------|--------------|----------|-------------------|
// | Image, gamma, gain | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// out = 255 * (x / 255)^gamma * gain, rounded to nearest: see ops/kernels/gamma_correction.h. Below
// 1, gamma makes dark parts lighter; 1 and 1 change nothing.
Value<Image> gamma_correction(Value<Image> image, Param<float> gamma, Param<float> gain = 1.f);

namespace detail {
const OperatorPtr& gamma_correction_operator();
}  // namespace detail

// grayscale: colours become their luma.
//
// | takes           | layout, type | channels  | gives                    |
// |-----------------|--------------|-----------|--------------------------|
// | Image, channels | HWC, 8 bit   | 1, 3 or 4 | Image of 1 or 3 channels |
//
// channels: 1, or 3 equal ones. Pillow's luma, bit for bit; a fourth channel is left out. See
// ops/kernels/grayscale.h.
struct GrayscaleOptions {
  Param<std::int32_t> channels = 1;  // of the result: 1 or 3
};

Value<Image> grayscale(Value<Image> image, const GrayscaleOptions& options = {});

namespace detail {
const OperatorPtr& grayscale_operator();
}  // namespace detail

// hue: colours turned round the circle of hues.
//
// | takes          | layout, type | channels  | gives             |
// |----------------|--------------|-----------|-------------------|
// | Image, degrees | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// By HSV, as torchvision's adjust_hue, whose factor is degrees / 360; any finite number.
// color_twist turns hues linearly, as DALI does. A picture of one channel, and a fourth channel,
// stay as they are. See ops/kernels/hue.h.
Value<Image> hue(Value<Image> image, Param<float> degrees);

namespace detail {
const OperatorPtr& hue_operator();
}  // namespace detail

// invert: each level x becomes 255 - x.
//
// | takes | layout, type | channels | gives             |
// |-------|--------------|----------|-------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, same shape |
Value<Image> invert(Value<Image> image);

namespace detail {
const OperatorPtr& invert_operator();
}  // namespace detail

// jpeg_distortion: pictures as they look after they have been JPEG files.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1, 3     | Image of the same size  |
//
// Pixels: see ops/kernels/jpeg_distortion.h. Errors of a sample: pictures of 2 or 4 channels, and a
// side of more than 65500 pixels.

// quality: 1 to 100, the scale of the Independent JPEG Group.
Value<Image> jpeg_distortion(Value<Image> image, Param<int> quality = 50);

namespace detail {
const OperatorPtr& jpeg_distortion_operator();
}  // namespace detail

// lookup_table: each level becomes the one that a table says.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |

// levels[x] is what becomes of level x, in all channels; of those that are left
// out, 0.
Value<Image> lookup_table(Value<Image> image, const std::array<std::uint8_t, 256>& levels);

// level(x) is what becomes of level x; it is asked for each when the graph is built, and cut off to
// 0 .. 255.
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

// crop_mirror_normalize and resize_mirror_normalize: from 8-bit pictures to the tensors that a
// network takes.
//
// | takes | layout, type | channels | gives                                               |
// |-------|--------------|----------|-----------------------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Tensor, CHW or HWC, f32, f16, u8 or i8               |
//
// out = scale * (x / 255 - mean) / std + shift per channel: see ops/kernels/normalize.h. Both do
// all in one pass. Whole numbers are rounded to nearest and cut off at the type's ends; `scale` and
// `shift` bring the normalised numbers into its range.
//
// mean and std are in units of 0 .. 1 always. BuildError for a mean outside -1 .. 1 and a std
// outside 0 .. 1, which are in units of 0 .. 255: divide them by 255. Errors of a sample: a std of
// 0 for a channel that the picture has, and what the kernel refuses.

// The usual mean and standard deviation of ImageNet's pictures, in units of 0 .. 1.
inline constexpr std::array<float, 4> kImageNetMean{0.485f, 0.456f, 0.406f, 0.f};
inline constexpr std::array<float, 4> kImageNetStd{0.229f, 0.224f, 0.225f, 1.f};

struct CropMirrorNormalizeOptions {
  // The size of the crop, which is cut out of the middle; 0 takes the whole picture.
  Param<int> width = 0;
  Param<int> height = 0;
  Param<bool> mirror = false;
  Param<std::array<float, 4>> mean = 0;
  Param<std::array<float, 4>> std = 1;
  DType dtype = DType::f32;  // or f16, u8, i8
  Layout layout = Layout::chw;
  Param<float> scale = 1;
  Param<float> shift = 0;
  bool pad_output = false;  // 3 channels become 4; the fourth is zero
};
Value<Tensor> crop_mirror_normalize(Value<Image> image,
                                    const CropMirrorNormalizeOptions& options = {});

struct ResizeMirrorNormalizeOptions {
  Param<int> width = 224;
  Param<int> height = 224;
  Param<bool> mirror = false;
  Param<std::array<float, 4>> mean = 0;
  Param<std::array<float, 4>> std = 1;
  DType dtype = DType::f32;  // or f16, u8, i8
  Layout layout = Layout::chw;
  Param<float> scale = 1;
  Param<float> shift = 0;
  bool pad_output = false;  // 3 channels become 4; the fourth is zero
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = true;  // as in ResizeOptions
};
// The same numbers, bit for bit, as resize, flip and crop_mirror_normalize one after the other.
Value<Tensor> resize_mirror_normalize(Value<Image> image,
                                      const ResizeMirrorNormalizeOptions& options = {});

namespace detail {
const OperatorPtr& crop_mirror_normalize_operator();
const OperatorPtr& resize_mirror_normalize_operator();
}  // namespace detail

// permute_channels: the three colours of each pixel in another order.
//
// | takes                       | layout, type | channels | gives             |
// |-----------------------------|--------------|----------|-------------------|
// | Image, first, second, third | HWC, 8 bit   | 3 or 4   | Image, same shape |
//
// first, second and third: which channel becomes that, 0, 1 and 2 in some order. A fourth channel
// stays where it is.
struct PermuteChannelsOptions {
  Param<std::int32_t> first = 0;
  Param<std::int32_t> second = 1;
  Param<std::int32_t> third = 2;
};

Value<Image> permute_channels(Value<Image> image, const PermuteChannelsOptions& options);

namespace detail {
const OperatorPtr& permute_channels_operator();
}  // namespace detail

// posterize: fewer levels; of each level, the upper bits alone are kept.
//
// | takes       | layout, type | channels | gives             |
// |-------------|--------------|----------|-------------------|
// | Image, bits | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// bits: 1 to 8; 8 changes nothing. See ops/kernels/posterize.h.
Value<Image> posterize(Value<Image> image, Param<std::int32_t> bits);

namespace detail {
const OperatorPtr& posterize_operator();
}  // namespace detail

// saturation: stronger or paler colours.
//
// | takes         | layout, type | channels  | gives             |
// |---------------|--------------|-----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1, 3 or 4 | Image, same shape |
//
// 0 makes the picture gray, 1 changes nothing. Luma keeps its weights, as in torchvision and
// Pillow. A picture of one channel, and a fourth channel, stay as they are. See
// ops/kernels/saturation.h.
Value<Image> saturation(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& saturation_operator();
}  // namespace detail

// solarize: levels from a threshold on are inverted.
//
// | takes            | layout, type | channels | gives             |
// |------------------|--------------|----------|-------------------|
// | Image, threshold | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// threshold: 0, which inverts all levels, to 256, which inverts none. See ops/kernels/solarize.h.
Value<Image> solarize(Value<Image> image, Param<float> threshold = 128.f);

namespace detail {
const OperatorPtr& solarize_operator();
}  // namespace detail

}  // namespace sluice
