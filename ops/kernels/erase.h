// erase: fills a rectangle of an image with a color; also draws the rectangle of RandomErasing.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or sizes that are
// negative or not finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

namespace sluice::kernels {

// Fills the part of the region inside the image; copies the rest of the image.
void erase(const Image& in, const Rectangle& region, const Fill& fill, Image& out);

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

}  // namespace sluice::kernels
