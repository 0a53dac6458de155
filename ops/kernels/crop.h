// crop: computes which part of an image to take, and cuts it out.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <cstdint>

namespace sluice::kernels {

// The regions: that of a random resized crop, the one in the center, and the visible part of a
// scaled image. Also the size of an image whose shorter side is given. The arithmetic, including
// rounding, is torchvision's, except for scaled images.
//
// Errors: std::invalid_argument.

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

struct ImageSize {
  int height = 0;
  int width = 0;
  bool operator==(const ImageSize&) const = default;
};

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

}  // namespace sluice::kernels

namespace sluice {

// The treatment of a region that does not lie inside its image: fail; fill the outside; clip it to
// the image.
enum class OutOfBounds : std::uint8_t { error, pad, trim };
const char* name_of(OutOfBounds what);

}  // namespace sluice

namespace sluice::kernels {

// crop: copies a rectangle of an image. Image::crop_view() provides the same without a copy.
//
// Errors: std::invalid_argument if the region does not lie inside the image. If it may lie partly
// outside: for an empty region, and, when trimming, for one without a pixel of the image. Threads:
// any.
void crop(const Image& in, const Rectangle& region, Image& out);

// The region may lie anywhere: pixels outside the image get the fill.
void crop_padded(const Image& in, const Rectangle& region, const Fill& fill, Image& out);

// Returns the part of the region inside a height x width image.
Rectangle trimmed(const Rectangle& region, int height, int width);

}  // namespace sluice::kernels
