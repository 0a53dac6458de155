#include <sluice/ops/kernels/arguments.h>
#include <sluice/runtime/text.h>

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void check_pixels(const char* op, const Image& in) {
  if (in.empty()) throw std::invalid_argument(fmt::format("{}: the image is empty", op));
  if (in.channels() > 4) {
    throw std::invalid_argument(
        fmt::format("{}: the image has {} channels; 1 to 4 are possible", op, in.channels()));
  }
}

void check_color_channels(const char* op, int channels) {
  if (channels == 2) {
    throw std::invalid_argument(
        fmt::format("{}: the image has 2 channels; 1, 3 or 4 are possible", op));
  }
}

void check_three_channels(const char* op, int channels) {
  if (channels < 3) {
    throw std::invalid_argument(
        fmt::format("{}: the image has {}; 3 or 4 are possible", op, counted(channels, "channel")));
  }
}

void check_colors(const char* op, const Image& in) {
  check_pixels(op, in);
  check_color_channels(op, in.channels());
}

void check_three_colors(const char* op, const Image& in) {
  check_pixels(op, in);
  check_three_channels(op, in.channels());
}

void check_size(const char* op, int height, int width) {
  constexpr int kLargest = 65535;
  if (height < 1 || width < 1 || height > kLargest || width > kLargest) {
    throw std::invalid_argument(fmt::format(
        "{}: a size of {} x {} (height x width) is not possible; each must lie in 1 .. {}", op,
        height, width, kLargest));
  }
}

void check_region(const char* op, const Rectangle& region, int in_height, int in_width) {
  const auto [y, x, height, width] = region;
  if (y < 0 || x < 0 || height < 1 || width < 1 || y > in_height - height || x > in_width - width) {
    throw std::invalid_argument(fmt::format(
        "{}: the region y={} x={} height={} width={} does not lie inside the image of {} x {} "
        "(height x width)",
        op, y, x, height, width, in_height, in_width));
  }
}

void check_region(const char* op, const Rectangle& region, const Image& in) {
  check_region(op, region, in.height(), in.width());
}

void check_finite(const char* op, const char* name, double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(
        fmt::format("{}: {} is {}; a finite number is needed", op, name, value));
  }
}

void check_warp(const char* op, Interpolation interpolation, Border border) {
  if (interpolation != Interpolation::nearest && interpolation != Interpolation::bilinear &&
      interpolation != Interpolation::bicubic) {
    throw std::invalid_argument(
        fmt::format("{}: interpolation {} is not possible; take nearest, bilinear or bicubic", op,
                    name_of(interpolation)));
  }
  if (border == Border::reflect) {
    throw std::invalid_argument(
        fmt::format("{}: border reflect is not possible; take constant or edge", op));
  }
}

void check_not_negative(const char* op, const char* name, double value) {
  check_finite(op, name, value);
  if (value < 0)
    throw std::invalid_argument(
        fmt::format("{}: {} is {}; it must not be below zero", op, name, value));
}

}  // namespace sluice::kernels
