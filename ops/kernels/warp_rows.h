// Affine warps of images: rotation, shearing, translation and scaling. Internal to the geometric
// kernels.
//
// Errors: none; the arguments have been checked. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice::kernels {

// Output position (x, y) shows input position (xx x + xy y + x0, yx x + yy y + y0). Pixel (c, r)
// covers [c, c + 1) x [r, r + 1).
struct AffineMap {
  double xx = 1, xy = 0, x0 = 0;
  double yx = 0, yy = 1, y0 = 0;
};

// The conversion of positions to pixel values. `nearest` takes the pixel there. `bilinear`
// interpolates the four around it, replaces those beyond the border by the nearest pixel, and
// rounds once. `bicubic` interpolates sixteen: see place_sampler.h, whose rounding of positions it
// uses. A position outside the image produces `fill`, or, with Border::edge, the value of the
// nearest pixels.
struct WarpOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Fill fill = 0;
};

// The positions (x + i * dx, y + i * dy) for i = 0, 1, ...; absolute values are at most kFarthest.
struct WarpLine {
  double x = 0, y = 0, dx = 0, dy = 0;
};
constexpr double kFarthest = 16777216;

// Writes `width` pixels to `out`. `in`: at most 65535 pixels high and wide, 1 to 4 channels. Not
// for bicubic.
void warp_row(const Image& in, const WarpLine& line, const WarpOptions& options, int width,
              std::uint8_t* out);

// Writes all pixels of `out`, which must have its size.
void warp_rows(const Image& in, const AffineMap& from, const WarpOptions& options, Image& out);

}  // namespace sluice::kernels
