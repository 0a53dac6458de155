// clahe: contrast limited adaptive histogram equalization, as OpenCV defines it for 8 bits.
//
// The image is cut into tiles. If they do not fit, it is first extended to the right and the bottom
// by mirroring about its outermost pixels. Each tile has a table that equalizes its histogram. No
// entry of the histogram may exceed clip_limit times the mean; the excess is spread over all
// entries. A pixel's result is interpolated between the tables of the four nearest tiles. In color
// images the luma (luma.h) is equalized, and red, green and blue move by the same amount. A fourth
// channel is not changed.
//
// Errors: std::invalid_argument for an empty image, 2 or more than 4 channels, and numbers outside
// of what ClaheParams allows. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

inline constexpr float kLargestClipLimit = 1e6f;
inline constexpr int kMostTiles = 256;

struct ClaheParams {
  float clip_limit = 2;          // 0: no limit
  int tiles_y = 8, tiles_x = 8;  // 1 to kMostTiles
};

// The tiles of an image, and the clip limit as a number of pixels.
struct ClaheGrid {
  int across = 1, down = 1;   // tiles
  int width = 1, height = 1;  // pixels of each tile
  int limit = 0;              // 0: no limit
};
// Computes the grid. Throws the errors of clahe().
ClaheGrid clahe_grid(const Image& in, const ClaheParams& params);

void clahe(const Image& in, const ClaheParams& params, Image& out);

}  // namespace sluice::kernels
