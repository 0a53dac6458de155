// grid_mask: squares of a regular grid get a colour.
//
// The grid has a square at the upper left of each tile of `tile` pixels; the side of a square is
// ratio * tile, in steps of 1/256 pixel. It is turned counter-clockwise about the upper left pixel
// of the picture and then moved. A pixel is covered when its own place in the grid is.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, and numbers out of their
// ranges. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice::kernels {

inline constexpr int kLargestTile = 65535;
inline constexpr float kLargestShift = 1e6f;  // and the largest angle

struct GridMask {
  int tile = 100;      // 1 .. kLargestTile, in pixels
  float ratio = 0.5f;  // 0 .. 1
  float degrees = 0;
  float shift_x = 0;  // in pixels
  float shift_y = 0;
  Fill fill = 0;
};

// The same as whole numbers of 2^-32 pixels, but for where a row begins. Throws for numbers out of
// their ranges.
struct GridSteps {
  double cosine = 1, sine = 0;
  std::int64_t step_u = 0, step_v = 0;  // in the grid, for each pixel to the right
  std::int64_t tile = 0, side = 0;
};
GridSteps grid_steps(const GridMask& mask);

void grid_mask(const Image& in, const GridMask& mask, Image& out);

}  // namespace sluice::kernels
