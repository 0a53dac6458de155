// Operators that cover parts of an image: erase, coarse_dropout, grid_mask and paste. Also the
// random rectangle of RandomErasing.
//
// Threads: any. Errors: std::invalid_argument, as each operator's comment says.
#pragma once

#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <cstdint>
#include <vector>

namespace sluice::kernels {

// erase: fills a rectangle of an image with a color; also draws the rectangle of RandomErasing.
//
// Errors: an empty image, more than 4 channels, or sizes that are negative or not finite.

// Fills the part of the region inside the image; copies the rest of the image.
void erase(const Image& in, const Rectangle& region, const Fill& fill, Image& out);

// The same with noise: each pixel value is `fill` plus a normal number with the standard deviation
// `noise`, rounded to nearest and clipped to 0 .. 255.
//
// The normal number is a table's, as for gaussian_noise: see random_words.h. Pixel value i of the
// image, in the order of its memory without gaps, has half i % 8 of block kFirstNoiseBlock + i / 8
// of the random words; earlier blocks are for what `random` draws. `random` does not advance.
inline constexpr std::uint32_t kFirstNoiseBlock = std::uint32_t{1} << 31;
void check_fill_noise(const char* op, float noise);
void erase_with_noise(const Random& random, const Image& in, const Rectangle& region,
                      const Fill& fill, float noise, Image& out);

// A rectangle in pixels, or in shares of the image's height and width.
struct ErasedPart {
  float y = 0, x = 0;           // its upper left corner, or its center
  float height = 0, width = 0;  // not negative
  bool normalized = false;      // in shares
  bool centered = false;        // y and x are the center's
};
// Returns the region in whole pixels of a height x width image: corners rounded, clipped to the
// image.
Rectangle erased_region(const ErasedPart& part, int height, int width);

struct RandomErasingParams {
  double probability = 0.5;
  // Share of the image's area, uniform in [min_area, max_area).
  double min_area = 0.02, max_area = 0.33;
  // Height / width, its logarithm uniform in [log(min_ratio), log(max_ratio)).
  double min_ratio = 0.3, max_ratio = 3.3;
  int attempts = 10;
};

// Returns a rectangle of random area, aspect ratio and position that is lower and narrower than the
// image, like torchvision's RandomErasing. It is empty with probability 1 - `probability`, and if
// no attempt fits. Takes one draw, two per attempt, and two for the position.
Rectangle random_erasing_region(Random& random, int height, int width,
                                const RandomErasingParams& params = {});

// coarse_dropout: fills several rectangles of one size at random positions, the holes.
//
// The sides of a hole are rounded to nearest, and are at most those of the image. Holes lie inside
// the image and may overlap. All positions are equally likely.
//
// Errors: an empty image, more than 4 channels, and numbers out of their ranges.

inline constexpr int kMostHoles = 1000;

struct CoarseDropout {
  int holes = 8;                // 0 .. kMostHoles
  float height = 8, width = 8;  // of a hole, not negative
  bool normalized = false;      // in shares of the image's height and width, not in pixels
  float noise = 0;              // as for erase_with_noise()
};

// Calls random.below() twice per hole.
std::vector<Rectangle> coarse_dropout_holes(Random& random, int height, int width,
                                            const CoarseDropout& params);
void coarse_dropout(Random& random, const Image& in, const CoarseDropout& params, const Fill& fill,
                    Image& out);

// grid_mask: fills the squares of a regular grid with a color.
//
// Each tile of `tile` pixels has a square at its upper left; the side of a square is ratio * tile,
// in steps of 1/256 pixel. The grid is rotated counter-clockwise about the upper left pixel of the
// image and then shifted. A pixel is covered if its position in the grid is.
//
// Errors: an empty image, more than 4 channels, and numbers out of their ranges.

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

// paste: pastes one image onto another, at a position that may lie partly or wholly outside.
//
// A pixel value becomes base + (patch - base) * w / 255, rounded to nearest. w is 255 alpha, or,
// with a mask, alpha times the mask's value there, also rounded to nearest.
//
// Errors: empty images, more than 4 channels, a patch whose channels differ from the image's, an
// alpha outside 0 .. 1, and a mask that does not have the patch's size and one channel.

// The patch's upper left corner in image coordinates, and its opacity.
struct PastePlace {
  int y = 0, x = 0;
  float alpha = 1;
};

// `mask` may be null. Throws the errors of paste().
void check_paste(const Image& in, const Image& patch, const Image* mask, float alpha);
void paste(const Image& in, const Image& patch, const Image* mask, const PastePlace& place,
           Image& out);

}  // namespace sluice::kernels
