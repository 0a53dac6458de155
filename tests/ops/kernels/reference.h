// Plain references for the kernels' tests: written from the formulas, in double precision, without
// regard to speed.
#pragma once

#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace sluice::testing {

// The error that a color matrix may cause in a pixel value, for each 1 of its largest number: see
// color.h.
inline constexpr double kColorMatrixError = 3 * 255.0 / (1 << 16);

// Draws noise and gradients, so that neighbors differ and so do the channels.
inline Image make_image(int height, int width, int channels, std::uint32_t seed = 1) {
  Image image(height, width, channels);
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * channels; ++i) {
      state = state * 1664525u + 1013904223u;
      const std::uint32_t noise = state >> 25;  // 0 .. 127
      image.row(y)[i] =
          static_cast<std::uint8_t>(noise + static_cast<std::uint32_t>(y * 5 + i * 3) % 128u);
    }
  }
  return image;
}

inline Image constant_image(int height, int width, int channels, int value) {
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    std::fill_n(image.row(y), image.row_bytes(), static_cast<std::uint8_t>(value));
  }
  return image;
}

inline int largest_difference(const Image& a, const Image& b) {
  if (a.height() != b.height() || a.width() != b.width() || a.channels() != b.channels())
    return 999;
  int largest = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (std::size_t i = 0; i < a.row_bytes(); ++i) {
      largest = std::max(largest, std::abs(a.row(y)[i] - b.row(y)[i]));
    }
  }
  return largest;
}

inline double reference_filter(Interpolation interpolation, double x) {
  const double pi = std::numbers::pi;
  const auto sinc = [pi](double t) { return t == 0 ? 1.0 : std::sin(pi * t) / (pi * t); };
  x = std::abs(x);
  switch (interpolation) {
    case Interpolation::bilinear:
      return std::max(0.0, 1.0 - x);
    case Interpolation::hamming:
      return x < 1 ? sinc(x) * (0.54 + 0.46 * std::cos(pi * x)) : 0.0;
    case Interpolation::bicubic:
      if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1.0;
      return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4.0 * x + 2.0 : 0.0;
    case Interpolation::lanczos:
      return x < 3 ? sinc(x) * sinc(x / 3.0) : 0.0;
    default:
      return 0.0;
  }
}

inline double reference_support(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::bicubic:
      return 2.0;
    case Interpolation::lanczos:
      return 3.0;
    case Interpolation::box:
      return 0.5;
    default:
      return 1.0;
  }
}

// Resizes one axis: the part of a line of numbers from `start` on, of this `length`. The notes in
// resize.h describe the filters.
inline std::vector<double> reference_line(const std::vector<double>& in, double start,
                                          double length, int out_length,
                                          const kernels::ResizeFilter& filter) {
  const Interpolation interpolation = filter.interpolation;
  const int n = static_cast<int>(in.size());
  const double s = length / out_length;
  const double wide = filter.antialias ? std::max(1.0, s) : 1.0;
  std::vector<double> out;
  double nearest = 0.0;
  for (int i = 0; i < out_length; ++i) {
    const double center = start + (i + 0.5) * s;
    if (interpolation == Interpolation::nearest) {
      // Sum up as Pillow does, which decides exact halves.
      nearest = i == 0 ? start + s * 0.5 : nearest + s;
      out.push_back(in[static_cast<std::size_t>(std::min(n - 1, static_cast<int>(nearest)))]);
      continue;
    }
    // Use Pillow's order of operations throughout: it decides on which side of a box's edge a pixel
    // falls.
    const double support = reference_support(interpolation) * wide;
    const int first = std::max(0, static_cast<int>(std::floor(center - support + 0.5)));
    const int end = std::min(n, static_cast<int>(std::floor(center + support + 0.5)));
    double sum = 0.0, weights = 0.0;
    for (int x = first; x < end; ++x) {
      const double t = (x - center + 0.5) * (1.0 / wide);
      const double w = interpolation == Interpolation::box ? (t > -0.5 && t <= 0.5 ? 1.0 : 0.0)
                                                           : reference_filter(interpolation, t);
      sum += w * in[static_cast<std::size_t>(x)];
      weights += w;
    }
    out.push_back(sum / weights);
  }
  return out;
}

inline std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

}  // namespace sluice::testing
