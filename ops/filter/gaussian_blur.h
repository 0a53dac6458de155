// gaussian_blur: pictures blurred by a Gaussian.
//
// | takes                     | layout, type | channels | gives             |
// |---------------------------|--------------|----------|-------------------|
// | Image, sigma, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// One of sigma and window_size is enough: the formulas stand in ops/kernels/gaussian_blur.h. Errors
// of a sample: a sigma or window size that is not possible.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct GaussianBlurOptions {
  Param<float> sigma = 0.f;    // in pixels; 0: follows from window_size
  Param<float> sigma_y = 0.f;  // along the columns; 0: as sigma
  Param<int> window_size = 0;  // odd; 0: follows from sigma
};

Value<Image> gaussian_blur(Value<Image> image, const GaussianBlurOptions& options);

namespace detail {
const OperatorPtr& gaussian_blur_operator();
}  // namespace detail

}  // namespace sluice
