#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/erase.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// Pixels begin .. end - 1 of a line.
struct Line {
  int begin = 0, end = 0;
};

// Returns the part of `length` pixels from `start` on that lies in 0 .. whole - 1.
Line inside(int start, int length, int whole) {
  const std::int64_t end = std::int64_t{start} + std::max(0, length);
  const int begin = std::clamp(start, 0, whole);
  return {begin, static_cast<int>(std::clamp<std::int64_t>(end, begin, whole))};
}

void check_part(const char* name, double value, bool is_size) {
  check_finite("erase", name, value);
  if (is_size && value < 0) {
    throw std::invalid_argument(
        fmt::format("erase: {} is {}; it must not be below zero", name, value));
  }
}

Line line_of(double start, double length, bool normalized, bool centered, int whole) {
  if (normalized) {
    start *= whole;
    length *= whole;
  }
  if (centered) start -= length / 2;
  const auto rounded = [whole](double place) {
    return static_cast<int>(std::clamp(std::floor(place + 0.5), 0.0, static_cast<double>(whole)));
  };
  return {rounded(start), rounded(start + length)};
}

void check(const RandomErasingParams& p) {
  const bool possible = p.probability >= 0 && p.probability <= 1 && p.min_area > 0 &&
                        p.min_area <= p.max_area && std::isfinite(p.max_area) && p.min_ratio > 0 &&
                        p.min_ratio <= p.max_ratio && std::isfinite(p.max_ratio) && p.attempts >= 0;
  if (possible) return;
  throw std::invalid_argument(fmt::format(
      "random_erasing: probability {}, areas {} .. {}, ratios {} .. {} and {} attempts are not "
      "possible; 0 <= probability <= 1, 0 < lowest <= highest and 0 <= attempts are needed",
      p.probability, p.min_area, p.max_area, p.min_ratio, p.max_ratio, p.attempts));
}

}  // namespace

void erase(const Image& in, const Rectangle& region, const Fill& fill, Image& out) {
  check_pixels("erase", in);
  out.create(in.height(), in.width(), in.channels());
  const int channels = in.channels();
  const Line rows = inside(region.y, region.height, in.height());
  const Line columns = inside(region.x, region.width, in.width());
  for (int y = 0; y < in.height(); ++y) {
    std::uint8_t* to = out.row(y);
    std::memcpy(to, in.row(y), in.row_bytes());
    if (y < rows.begin || y >= rows.end) continue;
    std::uint8_t* const part = to + std::ptrdiff_t{columns.begin} * channels;
    if (y == rows.begin) {
      for (int i = 0; i < columns.end - columns.begin; ++i) {
        for (int c = 0; c < channels; ++c) part[i * channels + c] = fill[c];
      }
    } else {
      const auto bytes = static_cast<std::size_t>(columns.end - columns.begin) *
                         static_cast<std::size_t>(channels);
      std::memcpy(part, out.row(rows.begin) + std::ptrdiff_t{columns.begin} * channels, bytes);
    }
  }
}

Rectangle erased_region(const ErasedPart& part, int height, int width) {
  check_size("erase", height, width);
  check_part("y", part.y, false);
  check_part("x", part.x, false);
  check_part("height", part.height, true);
  check_part("width", part.width, true);
  const Line rows = line_of(part.y, part.height, part.normalized, part.centered, height);
  const Line columns = line_of(part.x, part.width, part.normalized, part.centered, width);
  return {rows.begin, columns.begin, rows.end - rows.begin, columns.end - columns.begin};
}

Rectangle random_erasing_region(Random& random, int height, int width,
                                const RandomErasingParams& params) {
  check_size("random_erasing", height, width);
  check(params);
  if (random.unit_double() >= params.probability) return {};
  const double area = static_cast<double>(height) * width;
  const double log_low = std::log(params.min_ratio);
  const double log_high = std::log(params.max_ratio);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * random.unit_double();
  };
  for (int attempt = 0; attempt < params.attempts; ++attempt) {
    const double target = area * uniform(params.min_area, params.max_area);
    const double ratio = std::exp(uniform(log_low, log_high));
    const double exact_height = std::nearbyint(std::sqrt(target * ratio));
    const double exact_width = std::nearbyint(std::sqrt(target / ratio));
    if (exact_height < 1 || exact_width < 1 || exact_height >= height || exact_width >= width)
      continue;
    const int h = static_cast<int>(exact_height);
    const int w = static_cast<int>(exact_width);
    const int y = static_cast<int>(random.below(static_cast<std::uint32_t>(height - h) + 1));
    const int x = static_cast<int>(random.below(static_cast<std::uint32_t>(width - w) + 1));
    return {y, x, h, w};
  }
  return {};
}

}  // namespace sluice::kernels
