#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// Rounds to the nearest integer, halves to even, like Python.
int round_half_even(double value) { return static_cast<int>(std::nearbyint(value)); }

void check(const RandomCropParams& p) {
  const auto check_range = [](const char* name, double low, double high) {
    if (!(low > 0.0 && low <= high) || !std::isfinite(high)) {
      throw std::invalid_argument(
          fmt::format("random_resized_crop: the {} range {} .. {} is not possible; 0 < lowest <= "
                      "highest is needed",
                      name, low, high));
    }
  };
  check_range("scale", p.scale_low, p.scale_high);
  check_range("ratio", p.ratio_low, p.ratio_high);
  if (p.attempts < 0) {
    throw std::invalid_argument(
        fmt::format("random_resized_crop: attempts is {}; 0 or more is needed", p.attempts));
  }
}

}  // namespace

Rectangle random_resized_crop_region(Random& random, int height, int width,
                                     const RandomCropParams& params) {
  check_size("random_resized_crop", height, width);
  check(params);
  const double area = static_cast<double>(height) * width;
  const double log_low = std::log(params.ratio_low);
  const double log_high = std::log(params.ratio_high);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * random.unit_double();
  };
  for (int attempt = 0; attempt < params.attempts; ++attempt) {
    const double target = area * uniform(params.scale_low, params.scale_high);
    const double ratio = std::exp(uniform(log_low, log_high));
    const double exact_width = std::sqrt(target * ratio);
    const double exact_height = std::sqrt(target / ratio);
    // Compare before rounding too, since huge ratios exceed the range of int.
    if (exact_width > width + 1.0 || exact_height > height + 1.0) continue;
    const int w = round_half_even(exact_width);
    const int h = round_half_even(exact_height);
    if (w < 1 || h < 1 || w > width || h > height) continue;
    const int y = static_cast<int>(random.below(static_cast<std::uint32_t>(height - h) + 1));
    const int x = static_cast<int>(random.below(static_cast<std::uint32_t>(width - w) + 1));
    return {y, x, h, w};
  }
  const double ratio = static_cast<double>(width) / height;
  int h = height;
  int w = width;
  if (ratio < params.ratio_low) {
    h = std::max(1, round_half_even(w / params.ratio_low));
  } else if (ratio > params.ratio_high) {
    w = std::max(1, round_half_even(h * params.ratio_high));
  }
  return {(height - h) / 2, (width - w) / 2, h, w};
}

Rectangle center_crop_region(int height, int width, int crop_height, int crop_width) {
  check_size("center_crop", height, width);
  if (crop_height < 1 || crop_width < 1 || crop_height > height || crop_width > width) {
    throw std::invalid_argument(fmt::format(
        "center_crop: a crop of {} x {} (height x width) does not fit into a picture of "
        "{} x {}; resize it first",
        crop_height, crop_width, height, width));
  }
  return {round_half_even((height - crop_height) / 2.0),
          round_half_even((width - crop_width) / 2.0), crop_height, crop_width};
}

ImageSize resize_shorter_size(int height, int width, int shorter) {
  check_size("resize_shorter", height, width);
  check_size("resize_shorter", shorter, shorter);
  const auto longer = [&](int long_side, int short_side) {
    return static_cast<int>(std::int64_t{shorter} * long_side / short_side);
  };
  const ImageSize size = width <= height ? ImageSize{longer(height, width), shorter}
                                         : ImageSize{shorter, longer(width, height)};
  check_size("resize_shorter", size.height, size.width);
  return size;
}

ShownPart shown_part(int length, int window, float scale, float share) {
  check_size("scaled_region", length, length);
  if (window < 1 || !(scale > 0) || !std::isfinite(scale) || !(share >= 0 && share <= 1)) {
    throw std::invalid_argument(
        fmt::format("scaled_region: a window of {} pixels, scale {} and share {} make no sense: "
                    "they are at least 1, above 0, and 0 to 1",
                    window, scale, share));
  }
  const auto rounded = [](double exact) { return std::floor(exact + 0.5); };
  const double factor = static_cast<double>(scale);
  const double scaled = std::max(1.0, rounded(factor * length));
  if (scaled <= window) return {0, length, static_cast<int>(scaled)};
  const int shown = static_cast<int>(std::clamp<double>(rounded(window / factor), 1, length));
  return {static_cast<int>(rounded(static_cast<double>(share) * (length - shown))), shown, window};
}

}  // namespace sluice::kernels

namespace sluice {

const char* name_of(OutOfBounds what) {
  switch (what) {
    case OutOfBounds::error:
      return "error";
    case OutOfBounds::pad:
      return "pad";
    case OutOfBounds::trim:
      return "trim";
  }
  return "?";
}

}  // namespace sluice

namespace sluice::kernels {
namespace {

// The part of `length` positions from `from` on that lies in 0 .. limit - 1.
struct Stretch {
  std::int64_t begin = 0, end = 0;
};
Stretch inside(int from, int length, int limit) {
  return {std::max<std::int64_t>(from, 0),
          std::min<std::int64_t>(std::int64_t{from} + length, limit)};
}

}  // namespace

void crop(const Image& in, const Rectangle& region, Image& out) {
  check_pixels("crop", in);
  check_region("crop", region, in);
  out.create(region.height, region.width, in.channels());
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(region.x) * in.channels();
  for (int y = 0; y < region.height; ++y) {
    std::memcpy(out.row(y), in.row(region.y + y) + left, out.row_bytes());
  }
}

void crop_padded(const Image& in, const Rectangle& region, const Fill& fill, Image& out) {
  check_pixels("crop", in);
  check_size("crop", region.height, region.width);
  const auto channels = static_cast<std::size_t>(in.channels());
  out.create(region.height, region.width, in.channels());
  std::vector<std::uint8_t> colour(out.row_bytes());
  for (std::size_t i = 0; i < colour.size(); ++i) colour[i] = fill[static_cast<int>(i % channels)];
  const Stretch columns = inside(region.x, region.width, in.width());
  for (int y = 0; y < region.height; ++y) {
    std::memcpy(out.row(y), colour.data(), colour.size());
    const std::int64_t row = std::int64_t{region.y} + y;
    if (row < 0 || row >= in.height() || columns.begin >= columns.end) continue;
    const auto bytes = static_cast<std::size_t>(columns.end - columns.begin) * channels;
    std::memcpy(out.row(y) + static_cast<std::size_t>(columns.begin - region.x) * channels,
                in.row(static_cast<int>(row)) + static_cast<std::size_t>(columns.begin) * channels,
                bytes);
  }
}

Rectangle trimmed(const Rectangle& region, int height, int width) {
  const Stretch rows = inside(region.y, region.height, height);
  const Stretch columns = inside(region.x, region.width, width);
  if (rows.begin < rows.end && columns.begin < columns.end) {
    return {static_cast<int>(rows.begin), static_cast<int>(columns.begin),
            static_cast<int>(rows.end - rows.begin), static_cast<int>(columns.end - columns.begin)};
  }
  throw std::invalid_argument(fmt::format(
      "crop: a region of {} x {} (height x width) at y = {}, x = {} has nothing of the picture of "
      "{} x {}",
      region.height, region.width, region.y, region.x, height, width));
}

}  // namespace sluice::kernels
