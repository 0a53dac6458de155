// Operators that filter an image with its neighborhoods.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

// box_blur: pictures blurred by the mean of a square.
//
// | takes              | layout, type | channels | gives             |
// |--------------------|--------------|----------|-------------------|
// | Image, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/box_blur.h. Errors of a sample: a window size that is not possible.
struct BoxBlurOptions {
  Param<int> window_size = 3;  // odd; the side of the square
};

Value<Image> box_blur(Value<Image> image, const BoxBlurOptions& options = {});

namespace detail {
const OperatorPtr& box_blur_operator();
}  // namespace detail

// filter_2d: pictures filtered by any small window of weights.
//
// | takes          | layout, type | channels | gives             |
// |----------------|--------------|----------|-------------------|
// | Image, weights | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The formula stands in ops/kernels/filter_2d.h.

// Rows of weights: odd numbers of them, at most 7, all rows of one length. BuildError for others.
using FilterRows = std::vector<std::vector<float>>;

Value<Image> filter_2d(Value<Image> image, const FilterRows& weights);

namespace detail {
const OperatorPtr& filter_2d_operator();
}  // namespace detail

// gaussian_blur: pictures blurred by a Gaussian.
//
// | takes                     | layout, type | channels | gives             |
// |---------------------------|--------------|----------|-------------------|
// | Image, sigma, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// One of sigma and window_size is enough: the formulas stand in ops/kernels/gaussian_blur.h. Errors
// of a sample: a sigma or window size that is not possible.
struct GaussianBlurOptions {
  Param<float> sigma = 0.f;    // in pixels; 0: follows from window_size
  Param<float> sigma_y = 0.f;  // along the columns; 0: as sigma
  Param<int> window_size = 0;  // odd; 0: follows from sigma
};

Value<Image> gaussian_blur(Value<Image> image, const GaussianBlurOptions& options);

namespace detail {
const OperatorPtr& gaussian_blur_operator();
}  // namespace detail

// laplacian: edges of pictures.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/laplacian.h. Errors of a sample: windows other than 1, 3, 5 and 7.
struct LaplacianOptions {
  Param<int> window_size = 3;  // 1, 3, 5 or 7
  Param<float> scale = 1.f;    // of the sum, before it is cut to 0 .. 255
};

Value<Image> laplacian(Value<Image> image, const LaplacianOptions& options = {});

namespace detail {
const OperatorPtr& laplacian_operator();
}  // namespace detail

// median_blur: pictures without specks.
//
// | takes              | layout, type | channels | gives             |
// |--------------------|--------------|----------|-------------------|
// | Image, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/median_blur.h. Errors of a sample: a window size that is not possible.
struct MedianBlurOptions {
  Param<int> window_size = 3;  // 3 or 5; the side of the square
};

Value<Image> median_blur(Value<Image> image, const MedianBlurOptions& options = {});

namespace detail {
const OperatorPtr& median_blur_operator();
}  // namespace detail

// dilate and erode: what is light, or dark, grows.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/morphology.h.
struct MorphologyOptions {
  Param<int> window_height = 3, window_width = 3;  // up to 255
};

Value<Image> dilate(Value<Image> image, const MorphologyOptions& options = {});
Value<Image> erode(Value<Image> image, const MorphologyOptions& options = {});

namespace detail {
const OperatorPtr& dilate_operator();
const OperatorPtr& erode_operator();
}  // namespace detail

// motion_blur: pictures as a moving camera takes them.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/motion_blur.h.
struct MotionBlurOptions {
  Param<int> length = 9;       // pixels, up to 255
  Param<float> degrees = 0.f;  // counter-clockwise; 0 moves along the rows
};

Value<Image> motion_blur(Value<Image> image, const MotionBlurOptions& options);

namespace detail {
const OperatorPtr& motion_blur_operator();
}  // namespace detail

// sharpness: pictures sharpened or smoothed.
//
// | takes         | layout, type | channels | gives             |
// |---------------|--------------|----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The formula is Pillow's and torchvision's: see ops/kernels/sharpness.h. Errors of a sample: a
// factor that is not possible.

// 0 smooths, 1 changes nothing, 2 sharpens.
Value<Image> sharpness(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& sharpness_operator();
}  // namespace detail

}  // namespace sluice
