// A plain reference for pictures that are warped: the level at a place, in double precision; and
// the pictures and ways that warps are tested with.
#pragma once

#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

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
  // Farther away, and infinitely far, the nearest pixels are the same.
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
inline const int kWarpSizes[][2] = {{1, 1}, {1, 7}, {5, 1}, {2, 3}, {13, 11}, {29, 37}};

// Compares `out` with the levels at the places that place(x, y) gives for centres of pixels.
template <class F>
void expect_levels(const Image& in, const kernels::WarpOptions& how, const Image& out, F place) {
  // Cubic levels change faster, where places are rounded.
  const double most = how.interpolation == Interpolation::bicubic ? 1 : 0.75;
  int wrong = 0;
  for (int y = 0; y < out.height(); ++y) {
    for (int x = 0; x < out.width(); ++x) {
      const auto [from_x, from_y] = place(x + 0.5, y + 0.5);
      for (int c = 0; c < in.channels(); ++c) {
        if (std::abs(out.at(y, x, c) - place_level(in, from_x, from_y, c, how)) > most) ++wrong;
      }
    }
  }
  EXPECT_EQ(wrong, 0) << in.height() << "x" << in.width() << "x" << in.channels() << " "
                      << name_of(how.interpolation) << " " << name_of(how.border);
}

struct Place {
  double x, y;
};

// Every picture, of every size and number of channels, in every way.
template <class F>
void for_all_warps(const F& f) {
  for (const auto& size : kWarpSizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = make_picture(size[0], size[1], channels);
      for (const kernels::WarpOptions& how : kAllWarps) f(in, how);
    }
  }
}

}  // namespace sluice::testing
