// erase: a rectangle of a picture gets a colour; and the rectangle of RandomErasing.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, or sizes that are
// negative or not finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/border.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

namespace sluice::kernels {

// What of the region lies inside the picture becomes `fill`; the rest of the picture is copied.
void erase(const Image& in, const Rectangle& region, const Fill& fill, Image& out);

// A rectangle in pixels, or in parts of the picture's height and width.
struct ErasedPart {
  float y = 0, x = 0;           // its upper left corner, or its middle
  float height = 0, width = 0;  // not negative
  bool normalized = false;      // in parts
  bool centered = false;        // y and x are those of the middle
};
// In whole pixels of a height x width picture, its corners rounded to nearest; cut to the picture.
Rectangle erased_region(const ErasedPart& part, int height, int width);

struct RandomErasingParams {
  double probability = 0.5;
  // Share of the picture's area, uniform in [min_area, max_area).
  double min_area = 0.02, max_area = 0.33;
  // Height / width, its logarithm uniform in [log(min_ratio), log(max_ratio)).
  double min_ratio = 0.3, max_ratio = 3.3;
  int attempts = 10;
};

// A rectangle of random area, shape and place that is lower and narrower than the picture, as
// torchvision's RandomErasing draws it. An empty one in all but `probability` of the cases, and
// when no attempt fits. Takes one draw, two for each attempt, and two for the place.
Rectangle random_erasing_region(Random& random, int height, int width,
                                const RandomErasingParams& params = {});

}  // namespace sluice::kernels
