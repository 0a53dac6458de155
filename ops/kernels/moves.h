// Operators that move whole pixels: crop, pad, expand, flip, transpose, rot90 and d4. Also the
// computation of regions and sizes.
//
// Threads: any. Errors: std::invalid_argument, as each operator's comment says.
#pragma once

#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// The regions of crops: that of a random resized crop, the one in the center, and the visible part
// of a scaled image. Also the size of an image whose shorter side is given. The arithmetic,
// including rounding, is torchvision's, except for scaled images.

struct RandomCropParams {
  // Share of the image's area, uniform in [scale_low, scale_high).
  double scale_low = 0.08, scale_high = 1.0;
  // Width / height, its logarithm uniform in [log(ratio_low), log(ratio_high)).
  double ratio_low = 3.0 / 4.0, ratio_high = 4.0 / 3.0;
  int attempts = 10;
};

// Returns a region of random area, aspect ratio and position in a height x width image, like
// RandomResizedCrop. If no attempt fits, returns the largest centered region whose aspect ratio is
// in range. Takes two draws per attempt and two for the position.
Rectangle random_resized_crop_region(Random& random, int height, int width,
                                     const RandomCropParams& params = {});

// Returns the centered crop_height x crop_width region of a height x width image. An odd margin is
// split like CenterCrop does: half of it, rounded to the even number.
Rectangle center_crop_region(int height, int width, int crop_height, int crop_width);

// Returns the size whose shorter side has `shorter` pixels and whose aspect ratio is kept; the
// longer side is rounded down (the rule of Resize for one number).
ImageSize resize_shorter_size(int height, int width, int shorter);

// Along one side: returns the pixels of an image that a window of `window` pixels shows when the
// image is scaled by `scale` to S = max(1, round(scale * length)) pixels. If S is at most the
// window, these are all pixels, scaled to S. Otherwise they are round(window / scale) pixels, 1 to
// `length`, scaled to the window; they begin at round(share * the remaining pixels). Halves are
// rounded up.
struct ShownPart {
  int begin = 0, length = 0;  // pixels of the image
  int scaled = 0;             // their number after scaling
  bool operator==(const ShownPart&) const = default;
};
ShownPart shown_part(int length, int window, float scale, float share);

// crop: copies a rectangle of an image. Image::crop_view() provides the same without a copy.
//
// Errors: std::invalid_argument if the region does not lie inside the image. If it may lie partly
// outside: for an empty region, and, when trimming, for one without a pixel of the image.
void crop(const Image& in, const Rectangle& region, Image& out);

// The region may lie anywhere: pixels outside the image get the fill.
void crop_padded(const Image& in, const Rectangle& region, const Fill& fill, Image& out);

// Returns the part of the region inside a height x width image.
Rectangle trimmed(const Rectangle& region, int height, int width);

// pad: adds a margin to each side of an image. It has one color, repeats the edge pixel, or mirrors
// the image about the center of its outermost pixels (c b | a b c | b a; OpenCV's reflect-101), as
// often as the margin needs.
//
// Errors: an empty image, more than 4 channels, a margin below 0 or a size above 65535.
struct Margins {
  int left = 0, top = 0, right = 0, bottom = 0;
};

void pad(const Image& in, const Margins& margins, Border border, const Fill& fill, Image& out);

// Returns the margins, extended to the right and the bottom so that an image of this size reaches
// height x width. 0: no minimum.
Margins margins_up_to(const Margins& least, int in_height, int in_width, int height, int width);

// expand: places an image on a larger canvas of one color, like SSD's zoom-out.
//
// The canvas is `ratio` times as high and as wide, rounded to nearest. y and x are the shares of
// the free rows and columns above and left of the image, also rounded to nearest.
//
// Errors: an empty image, more than 4 channels, a ratio below 1, a position outside 0 .. 1 and a
// canvas of more than 65535 pixels on a side.
struct ExpandParams {
  float ratio = 2;
  float y = 0.5f, x = 0.5f;
};

struct Expanded {
  ImageSize canvas;
  Rectangle image;  // its position on the canvas
};
Expanded expanded(const ExpandParams& params, int height, int width);

void expand(const Image& in, const ExpandParams& params, const Fill& fill, Image& out);

// flip: mirrors an image horizontally, vertically or both.
//
// Errors: an empty image or more than 4 channels.

// Copies the image if both are false.
void flip(const Image& in, bool horizontal, bool vertical, Image& out);

// transpose: exchanges rows and columns: the pixel at (x, y) goes to (y, x). Also quarter turns,
// which are a transpose with one side reversed.
//
// Errors: an empty image or more than 4 channels.
void transpose(const Image& in, Image& out);

// A quarter turn counter-clockwise, and one clockwise.
void turn_left(const Image& in, Image& out);
void turn_right(const Image& in, Image& out);

// rot90 and d4: the eight symmetries of a square, also for images that are not square.
//
//   element 0 to 3   that number of quarter turns counter-clockwise
//   element 4 to 7   a horizontal flip, and then 0 to 3 such turns
//
// So 4 is a horizontal flip, 5 the transpose, 6 a vertical flip, and 7 the transpose along the
// other diagonal. Odd elements exchange height and width. rot90 takes any number of turns, like
// numpy.rot90; negative turns are clockwise.
//
// Errors: an empty image, more than 4 channels, an element outside 0 .. 7.

// Mirrors the image, then transposes it.
struct Symmetry {
  bool transposes = false;
  bool from_right = false, from_bottom = false;  // mirrored horizontally, and vertically
};
Symmetry symmetry_of(int element);
Symmetry symmetry_of_turns(int turns);

void rot90(const Image& in, int turns, Image& out);
void d4(const Image& in, int element, Image& out);

// The inner loops, in move_rows.cpp: by SIMD instructions chosen when the program runs.

// Writes one row of pixels in reverse order, keeping the order of channels. `in` and `out` do not
// overlap. channels: 1 to 4.
void flip_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out);

// Turns columns of pixels into rows, in blocks that fit in registers: writes pixel x of row y of
// `in` to pixel y of row x of `out`. `in` has `height` rows of `width` pixels. `out` has `width`
// rows of `height` pixels and must not overlap `in`. Strides are bytes from one row to the next,
// and may be negative. channels: 1 to 4.
void transpose_rows(const std::uint8_t* in, std::ptrdiff_t in_stride, int width, int height,
                    int channels, std::uint8_t* out, std::ptrdiff_t out_stride);

}  // namespace sluice::kernels
