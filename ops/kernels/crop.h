// Which part of a picture to take, and cutting it out.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <cstdint>

namespace sluice::kernels {

// The parts: the region of a random resized crop, the one in the middle, and
// the size of a picture whose shorter side is given: the arithmetic of these is torchvision's, its
// roundings included; and the part of a scaled picture that a window shows.
//
// Errors: std::invalid_argument.

struct RandomCropParams {
  // Share of the picture's area, uniform in [scale_low, scale_high).
  double scale_low = 0.08, scale_high = 1.0;
  // Width / height, its logarithm uniform in [log(ratio_low), log(ratio_high)).
  double ratio_low = 3.0 / 4.0, ratio_high = 4.0 / 3.0;
  int attempts = 10;
};

// A region of random area, shape and place inside a height x width picture (RandomResizedCrop's).
// When no attempt fits, the largest region in the middle whose shape is within the ratios. Takes
// two draws for each attempt and two for the place.
Rectangle random_resized_crop_region(Random& random, int height, int width,
                                     const RandomCropParams& params = {});

// The region of crop_height x crop_width in the middle of a height x width picture; an odd margin
// is split as CenterCrop does it (half of it rounded to the even number).
Rectangle center_crop_region(int height, int width, int crop_height, int crop_width);

struct ImageSize {
  int height = 0;
  int width = 0;
  bool operator==(const ImageSize&) const = default;
};

// The size at which the shorter side is `shorter` pixels long and the shape is kept; the longer
// side is rounded down (Resize's rule for one number).
ImageSize resize_shorter_size(int height, int width, int shorter);

// Of one side of a picture: the pixels that a window of `window` pixels shows of it when the
// picture is `scale` times as large, max(1, round(scale * length)) = S pixels. Where S is at most
// the window, all of them, scaled to S; else round(window / scale) of them, 1 to `length`, scaled
// to the window, which begin at round(share * what is left). Halves are rounded up.
struct ShownPart {
  int begin = 0, length = 0;  // pixels of the picture
  int scaled = 0;             // how many these are then
  bool operator==(const ShownPart&) const = default;
};
ShownPart shown_part(int length, int window, float scale, float share);

}  // namespace sluice::kernels

namespace sluice {

// What becomes of a region that does not lie inside its picture: it is an error; what lies outside
// is filled; it is cut to the picture.
enum class OutOfBounds : std::uint8_t { error, pad, trim };
const char* name_of(OutOfBounds what);

}  // namespace sluice

namespace sluice::kernels {

// crop: a rectangle cut out of a picture, as a copy. (Image::crop_view() gives the same without
// one.)
//
// Errors: std::invalid_argument unless the region lies inside the picture, or, where a part of it
// may lie outside, for one that is empty, or, to be trimmed, has nothing of the picture. Threads:
// any.
void crop(const Image& in, const Rectangle& region, Image& out);

// The region may lie anywhere: what is outside of the picture gets the fill.
void crop_padded(const Image& in, const Rectangle& region, const Fill& fill, Image& out);

// What of the region lies inside a height x width picture.
Rectangle trimmed(const Rectangle& region, int height, int width);

}  // namespace sluice::kernels
