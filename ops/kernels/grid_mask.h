// grid_mask: fills the squares of a regular grid with a color.
//
// Each tile of `tile` pixels has a square at its upper left; the side of a square is ratio * tile,
// in steps of 1/256 pixel. The grid is rotated counter-clockwise about the upper left pixel of the
// image and then shifted. A pixel is covered if its position in the grid is.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, and numbers out of their
// ranges. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice::kernels {

inline constexpr int kLargestTile = 65535;
inline constexpr float kLargestShift = 1e6f;  // also of the angle

struct GridMask {
  int tile = 100;      // 1 .. kLargestTile, in pixels
  float ratio = 0.5f;  // 0 .. 1
  float degrees = 0;
  float shift_x = 0;  // in pixels
  float shift_y = 0;
  Fill fill = 0;
};

// The parameters as integers in units of 2^-32 pixels, except for the start of a row. Throws for
// numbers out of range.
struct GridSteps {
  double cosine = 1, sine = 0;
  std::int64_t step_u = 0, step_v = 0;  // in the grid, per pixel to the right
  std::int64_t tile = 0, side = 0;
};
GridSteps grid_steps(const GridMask& mask);

void grid_mask(const Image& in, const GridMask& mask, Image& out);

}  // namespace sluice::kernels
