// The filters of resizing: the weight of a pixel by its distance. The host and GPU kernels share
// this code; GPU kernels can call constexpr functions. Internal to the kernels that resize.
//
// Ownership: none. Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/option_types.h>

#include <cmath>
#include <numbers>

namespace sluice::kernels {

constexpr double resize_sinc(double x) {
  if (x == 0.0) return 1.0;
  const double angle = std::numbers::pi * x;
  return std::sin(angle) / angle;
}

// Returns half the width of the filter, without widening.
constexpr double resize_half_width(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::nearest:
    case Interpolation::box:
      return 0.5;
    case Interpolation::bilinear:
    case Interpolation::hamming:
      return 1.0;
    case Interpolation::bicubic:
      return 2.0;
    case Interpolation::lanczos:
      return 3.0;
  }
  return 0.5;
}

// `x`: the distance in pixels, without widening.
constexpr double resize_weight(Interpolation interpolation, double x) {
  const bool is_box =
      interpolation == Interpolation::nearest || interpolation == Interpolation::box;
  if (is_box) return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
  const double d = std::fabs(x);
  switch (interpolation) {
    case Interpolation::bilinear:
      return d < 1.0 ? 1.0 - d : 0.0;
    case Interpolation::hamming:
      return d < 1.0 ? resize_sinc(d) * (0.54 + 0.46 * std::cos(std::numbers::pi * d)) : 0.0;
    case Interpolation::bicubic: {
      constexpr double kA = -0.5;
      if (d < 1.0) return ((kA + 2.0) * d - (kA + 3.0)) * d * d + 1.0;
      if (d < 2.0) return (((d - 5.0) * d + 8.0) * d - 4.0) * kA;
      return 0.0;
    }
    case Interpolation::lanczos:
      return d < 3.0 ? resize_sinc(d) * resize_sinc(d / 3.0) : 0.0;
    case Interpolation::nearest:
    case Interpolation::box:
      break;
  }
  return 0.0;
}

// Returns the factor by which the filter is widened.
constexpr double resize_widening(const ResizeFilter& filter, double scale) {
  return filter.antialias && scale > 1.0 ? scale : 1.0;
}

}  // namespace sluice::kernels
