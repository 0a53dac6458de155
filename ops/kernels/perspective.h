// perspective: applies a perspective transformation: straight lines stay straight, but parallel
// lines need not stay parallel.
//
// Pixel (x, y) covers [x, x + 1) x [y, y + 1). Each output pixel samples the input at the position
// to which the map takes its center: see place_sampler.h. A position that is not finite counts as
// beyond the border.
//
// Errors: std::invalid_argument, with the name `op`, for an empty image, more than 4 channels, an
// invalid size, numbers that are not finite, and points that no map brings to their targets.
// Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

#include <array>

namespace sluice::kernels {

// Row by row: maps (x, y) to ((m0 x + m1 y + m2) / w, (m3 x + m4 y + m5) / w), where w is
// m6 x + m7 y + m8.
using PerspectiveMap = std::array<double, 9>;

struct PerspectivePoint {
  double x = 0, y = 0;
};
using PerspectivePoints = std::array<PerspectivePoint, 4>;

// Returns the map that takes each point of `from` to the one of `to`.
PerspectiveMap map_of_points(const char* op, const PerspectivePoints& from,
                             const PerspectivePoints& to);

// `from` maps output coordinates to input coordinates.
void warp_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                      int width, const WarpOptions& options, Image& out);

// Throws the errors of warp_perspective().
void check_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                       int width, const WarpOptions& options);

}  // namespace sluice::kernels
