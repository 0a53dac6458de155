#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/brightness_contrast.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_factor(const char* name, float value) {
  check_finite("brightness_contrast", name, value);
  if (value < 0.0f) {
    throw std::invalid_argument(
        fmt::format("brightness_contrast: {} is {}; it must not be below zero", name, value));
  }
}

}  // namespace

std::array<std::uint8_t, 256> brightness_contrast_table(float brightness, float contrast,
                                                        float contrast_center) {
  check_factor("brightness", brightness);
  check_factor("contrast", contrast);
  check_finite("brightness_contrast", "contrast_center", contrast_center);
  std::array<std::uint8_t, 256> table;
  const double center = contrast_center;
  for (int x = 0; x < 256; ++x) {
    const double value = ((x - center) * contrast + center) * brightness;
    table[static_cast<std::size_t>(x)] =
        static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
  }
  return table;
}

void brightness_contrast(const Image& in, float brightness, float contrast, float contrast_center,
                         Image& out) {
  check_pixels("brightness_contrast", in);
  const auto table = brightness_contrast_table(brightness, contrast, contrast_center);
  out.create(in.height(), in.width(), in.channels());
  const std::size_t bytes = in.row_bytes();
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (std::size_t i = 0; i < bytes; ++i) to[i] = table[from[i]];
  }
}

}  // namespace sluice::kernels
