// A plain reference for pictures that are warped: the level at a place, in double precision.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>

namespace sluice::testing {

inline double place_level(const Image& in, double x, double y, int c,
                          const kernels::WarpOptions& how) {
  const bool inside = x >= 0 && y >= 0 && x < in.width() && y < in.height();
  if (!inside && how.border == Border::constant) return how.fill[c];
  const auto pixel = [&](double row, double column) -> double {
    return in.at(static_cast<int>(std::clamp(row, 0.0, in.height() - 1.0)),
                 static_cast<int>(std::clamp(column, 0.0, in.width() - 1.0)), c);
  };
  if (how.interpolation == Interpolation::nearest) return pixel(std::floor(y), std::floor(x));
  const double column = std::floor(x - 0.5), row = std::floor(y - 0.5);
  const double wx = x - 0.5 - column, wy = y - 0.5 - row;
  return (pixel(row, column) * (1 - wx) + pixel(row, column + 1) * wx) * (1 - wy) +
         (pixel(row + 1, column) * (1 - wx) + pixel(row + 1, column + 1) * wx) * wy;
}

}  // namespace sluice::testing
