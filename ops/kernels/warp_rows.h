// Pictures whose pixels stand where an affine map of the output's places leads: turned, sheared,
// moved, scaled. Internal to the geometric kernels.
//
// Errors: none; what is given has been checked. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice::kernels {

// Output place (x, y) shows input place (xx x + xy y + x0, yx x + yy y + y0), where pixel (c, r)
// covers [c, c + 1) x [r, r + 1).
struct AffineMap {
  double xx = 1, xy = 0, x0 = 0;
  double yx = 0, yy = 1, y0 = 0;
};

// How places become levels: `nearest` takes the pixel there, `bilinear` blends the four around it,
// those beyond the border replaced by the nearest pixel, and rounds once. `bicubic` blends sixteen:
// see place_sampler.h, whose places these are then. A place outside of the
// picture gives `fill`, or, with Border::edge, what the nearest pixels give.
struct WarpOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Fill fill = 0;
};

// Places (x + i * dx, y + i * dy) for i = 0, 1, ...; absolute values of all up to kFarthest.
struct WarpLine {
  double x = 0, y = 0, dx = 0, dy = 0;
};
constexpr double kFarthest = 16777216;

// Writes `width` pixels at `out`. `in`: at most 65535 pixels high and wide, 1 to 4 channels. Not
// bicubic.
void warp_row(const Image& in, const WarpLine& line, const WarpOptions& options, int width,
              std::uint8_t* out);

// Writes all pixels of `out`, which has its size.
void warp_rows(const Image& in, const AffineMap& from, const WarpOptions& options, Image& out);

}  // namespace sluice::kernels
