// perspective: a picture as it looks from another point of view: straight lines stay straight,
// parallels need not.
//
// Places are in coordinates where pixel (x, y) covers [x, x + 1) x [y, y + 1). Each output pixel
// looks up the place that the map gives for its centre: see place_sampler.h. Where the map leads
// nowhere, that is beyond the border.
//
// Errors: std::invalid_argument, with the name `op`, for an empty image, more than 4 channels, a
// size that is not possible, numbers that are not finite, and points that no map brings to their
// places. Threads: any.
#pragma once

#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

#include <array>

namespace sluice::kernels {

// Row by row: place (x, y) becomes ((m0 x + m1 y + m2) / w, (m3 x + m4 y + m5) / w), where w is
// m6 x + m7 y + m8.
using PerspectiveMap = std::array<double, 9>;

struct PerspectivePoint {
  double x = 0, y = 0;
};
using PerspectivePoints = std::array<PerspectivePoint, 4>;

// The map that brings each point of `from` to that of `to`.
PerspectiveMap map_of_points(const char* op, const PerspectivePoints& from,
                             const PerspectivePoints& to);

// `from` makes places of the input of those of the output.
void warp_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                      int width, const WarpOptions& options, Image& out);

// What warp_perspective() refuses.
void check_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                       int width, const WarpOptions& options);

}  // namespace sluice::kernels
