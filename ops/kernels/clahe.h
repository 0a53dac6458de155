// clahe: contrast limited adaptive histogram equalisation, as OpenCV defines it for 8 bits.
//
// The picture is cut into tiles; where they do not fit, it is first continued to the right and at
// the bottom, mirrored at its outermost pixels. Each tile has a table that equalises its histogram,
// of which no level may count more than clip_limit times the mean; what is cut off is spread over
// all levels. A pixel's level is blended of those that the tables of the four nearest tiles give.
// Of colours it is the luma (luma.h) that becomes another; red, green and blue are all moved by as
// much. A fourth channel stays.
//
// Errors: std::invalid_argument for an empty image, 2 or more than 4 channels, and numbers outside
// of what ClaheParams allows. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

inline constexpr float kLargestClipLimit = 1e6f;
inline constexpr int kMostTiles = 256;

struct ClaheParams {
  float clip_limit = 2;          // 0: none
  int tiles_y = 8, tiles_x = 8;  // 1 to kMostTiles
};

// The tiles of a picture, and the limit as a number of pixels.
struct ClaheGrid {
  int across = 1, down = 1;   // tiles
  int width = 1, height = 1;  // pixels of each
  int limit = 0;              // 0: none
};
// With what clahe() refuses.
ClaheGrid clahe_grid(const Image& in, const ClaheParams& params);

void clahe(const Image& in, const ClaheParams& params, Image& out);

}  // namespace sluice::kernels
