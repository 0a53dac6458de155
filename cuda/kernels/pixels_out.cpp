#include <sluice/cuda/kernels/pixels_out.h>

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
  if (dtype != DType::u8 && dtype != DType::f16 && dtype != DType::f32)
    refuse(std::string("pixels of type ") + name_of(dtype) + "; u8, f16 and f32 are possible");
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

PixelsOut normalized_out(int height, int width, int channels, DType dtype, Layout layout,
                         const std::array<float, 4>& mean, const std::array<float, 4>& std) {
  PixelsOut out = pixels_out(height, width, channels, dtype, layout);
  out.scales = true;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    check_finite("mean", mean[c]);
    const float factor = 1.0f / (255.0f * std[c]);
    if (!(std[c] > 0.0f) || !std::isfinite(factor)) refuse("std must be finite and above zero");
    out.offset[c] = 255.0f * mean[c];
    out.factor[c] = factor;
  }
  return out;
}

}  // namespace sluice::device
