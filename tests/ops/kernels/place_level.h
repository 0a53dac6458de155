// A plain reference for warps, in double precision: the pixel value at a place. Also the options to
// test each warp with.
#pragma once

#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>

namespace sluice::testing {

// Keys' cubic convolution with a = -0.75.
inline double cubic_weight(double distance) {
  constexpr double kA = -0.75;
  const double d = std::abs(distance);
  if (d < 1) return ((kA + 2) * d - (kA + 3)) * d * d + 1;
  return d < 2 ? ((d - 5) * d + 8) * d * kA - 4 * kA : 0;
}

inline double place_level(const Image& in, double x, double y, int c,
                          const kernels::WarpOptions& how) {
  const bool inside = x >= 0 && y >= 0 && x < in.width() && y < in.height();
  if (!inside && how.border == Border::constant) return how.fill[c];
  if (std::isnan(x) || std::isnan(y)) return how.fill[c];
  // Farther away, even infinitely far, the nearest pixels are the same.
  x = std::clamp(x, -9.0, in.width() + 9.0);
  y = std::clamp(y, -9.0, in.height() + 9.0);
  const auto pixel = [&](double row, double column) -> double {
    return in.at(static_cast<int>(std::clamp(row, 0.0, in.height() - 1.0)),
                 static_cast<int>(std::clamp(column, 0.0, in.width() - 1.0)), c);
  };
  if (how.interpolation == Interpolation::nearest) return pixel(std::floor(y), std::floor(x));
  const double column = std::floor(x - 0.5), row = std::floor(y - 0.5);
  const double wx = x - 0.5 - column, wy = y - 0.5 - row;
  if (how.interpolation == Interpolation::bicubic) {
    double sum = 0;
    for (int r = -1; r <= 2; ++r) {
      for (int k = -1; k <= 2; ++k)
        sum += cubic_weight(r - wy) * cubic_weight(k - wx) * pixel(row + r, column + k);
    }
    return std::clamp(sum, 0.0, 255.0);
  }
  return (pixel(row, column) * (1 - wx) + pixel(row, column + 1) * wx) * (1 - wy) +
         (pixel(row + 1, column) * (1 - wx) + pixel(row + 1, column + 1) * wx) * wy;
}

inline const kernels::WarpOptions kAllWarps[] = {
    {Interpolation::nearest, Border::constant, {7, 77, 177, 250}},
    {Interpolation::nearest, Border::edge},
    {Interpolation::bilinear, Border::constant, {7, 77, 177, 250}},
    {Interpolation::bilinear, Border::edge},
    {Interpolation::bicubic, Border::constant, {7, 77, 177, 250}},
    {Interpolation::bicubic, Border::edge},
};

struct Place {
  double x, y;
};

}  // namespace sluice::testing
