#include <sluice/cuda/kernels/pixels_out.h>
#include <sluice/ops/kernels/normalize.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace sluice::device {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void check_finite(const char* name, float value) {
  if (!std::isfinite(value)) refuse(std::string(name) + " must be a finite number");
}

}  // namespace

Levels level_table(const std::uint8_t* device_table) {
  Levels levels;
  levels.mode = Levels::Mode::table;
  levels.table = device_table;
  return levels;
}

Levels brightness_contrast_levels(float brightness, float contrast, float center) {
  check_finite("brightness", brightness);
  check_finite("contrast", contrast);
  check_finite("contrast_center", center);
  if (brightness < 0 || contrast < 0) refuse("brightness and contrast must not be below zero");
  Levels levels;
  levels.mode = Levels::Mode::brightness_contrast;
  levels.brightness = brightness;
  levels.contrast = contrast;
  levels.center = center;
  return levels;
}

PixelsOut pixels_out(int height, int width, int channels, DType dtype, Layout layout) {
  constexpr int kLargest = 65535;
  if (height < 1 || width < 1 || height > kLargest || width > kLargest) {
    refuse("a size of " + std::to_string(height) + " x " + std::to_string(width) +
           " (height x width) is not possible; each must lie in 1 .. 65535");
  }
  if (channels < 1 || channels > 4)
    refuse(std::to_string(channels) + " channels; 1 to 4 are possible");
  if (dtype != DType::u8 && dtype != DType::i8 && dtype != DType::f16 && dtype != DType::f32)
    refuse(std::string("pixels of type ") + name_of(dtype) + "; u8, i8, f16 and f32 are possible");
  if (layout == Layout::none) refuse("the layout must be CHW or HWC");
  PixelsOut out;
  out.height = height;
  out.width = width;
  out.channels = channels;
  out.dtype = dtype;
  const bool planes = layout == Layout::chw;
  out.row = std::int64_t{width} * (planes ? 1 : channels);
  out.pixel = planes ? 1 : channels;
  out.channel = planes ? std::int64_t{height} * width : 1;
  return out;
}

PixelsOut normalized_out(int height, int width, int channels,
                         const kernels::NormalizeParams& params) {
  const int channels_made = kernels::output_channels(params, channels);
  PixelsOut out = pixels_out(height, width, channels_made, params.dtype, params.layout);
  out.channels = channels;
  out.padded = channels_made != channels;
  out.scales = true;
  const kernels::ChannelScale scale = kernels::channel_scale("normalize", params, channels);
  std::copy(scale.offset.begin(), scale.offset.end(), out.offset);
  std::copy(scale.factor.begin(), scale.factor.end(), out.factor);
  out.shift = scale.shift;
  return out;
}

}  // namespace sluice::device
