// One row of a picture that is turned or sheared: each output pixel looks up a place on a straight
// line through the input. Internal to the geometric kernels.
#pragma once

#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice::kernels {

// Places (x + i * dx, y + i * dy) for i = 0, 1, ..., where pixel (c, r) covers [c, c + 1) x [r, r +
// 1). Absolute values below 2^24.
struct WarpLine {
  double x = 0, y = 0, dx = 0, dy = 0;
};

// Writes `width` pixels at `out`: nearest or bilinear (rounded to nearest), `fill` where the place
// lies outside of `in`. `in`: at most 65535 pixels high and wide, 1 to 4 channels.
void warp_row(const Image& in, const WarpLine& line, Interpolation interpolation, const Fill& fill,
              int width, std::uint8_t* out);

}  // namespace sluice::kernels
