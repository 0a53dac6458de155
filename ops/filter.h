// Operators that filter an image with its neighborhoods.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

// box_blur: blurs an image by the mean over a square.
//
// | takes              | layout, type | channels | returns           |
// |--------------------|--------------|----------|-------------------|
// | Image, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/blur.h. Errors of a sample: an invalid window size.
struct BoxBlurOptions {
  Param<int> window_size = 3;  // odd; the side of the square
};

Value<Image> box_blur(Value<Image> image, const BoxBlurOptions& options = {});

namespace detail {
const OperatorPtr& box_blur_operator();
}  // namespace detail

// defocus: blurs an image like a lens that is out of focus.
//
// | takes          | layout, type | channels | returns           |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// A point becomes a disk with a smooth edge. Borders are reflected without repeating the outermost
// pixel. See ops/kernels/filter.h.
struct DefocusOptions {
  Param<int> radius = 3;           // of the disk, in pixels; 1 to 50
  Param<float> alias_blur = 0.1f;  // sigma of the Gaussian for its edge, in pixels; 0 to 10
};

Value<Image> defocus(Value<Image> image, const DefocusOptions& options = {});

namespace detail {
const OperatorPtr& defocus_operator();
}  // namespace detail

// downscale: shrinks an image and enlarges it back to its size, which loses detail.
//
// | takes        | layout, type | channels | returns           |
// |--------------|--------------|----------|-------------------|
// | Image, scale | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// scale: the size of the small image / the size of the image, above 0 and at most 1. It is enlarged
// without interpolation. See ops/kernels/resize.h.
struct DownscaleOptions {
  // How the image is shrunk: nearest, or box, which averages pixels.
  Interpolation interpolation = Interpolation::nearest;
};

Value<Image> downscale(Value<Image> image, Param<float> scale,
                       const DownscaleOptions& options = {});

namespace detail {
const OperatorPtr& downscale_operator();
}  // namespace detail

// filter_2d: filters an image with a small window of weights (a correlation).
//
// | takes          | layout, type | channels | returns           |
// |----------------|--------------|----------|-------------------|
// | Image, weights | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// For the formula see ops/kernels/filter.h.

// The rows of weights: an odd number of rows and columns, at most 7, all rows of one length;
// otherwise BuildError.
using FilterRows = std::vector<std::vector<float>>;

Value<Image> filter_2d(Value<Image> image, const FilterRows& weights);

namespace detail {
const OperatorPtr& filter_2d_operator();
}  // namespace detail

// gaussian_blur: blurs an image by a Gaussian.
//
// | takes                     | layout, type | channels | returns           |
// |---------------------------|--------------|----------|-------------------|
// | Image, sigma, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// Set sigma or window_size; the other follows: see ops/kernels/blur.h. Errors of a sample:
// an invalid sigma or window size.
struct GaussianBlurOptions {
  Param<float> sigma = 0.f;    // in pixels; 0: follows from window_size
  Param<float> sigma_y = 0.f;  // along the columns; 0: the same as sigma
  Param<int> window_size = 0;  // odd; 0: follows from sigma
};

Value<Image> gaussian_blur(Value<Image> image, const GaussianBlurOptions& options);

namespace detail {
const OperatorPtr& gaussian_blur_operator();
}  // namespace detail

// laplacian: computes the Laplacian of an image, which shows its edges.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// See ops/kernels/filter.h. Errors of a sample: windows other than 1, 3, 5 and 7.
struct LaplacianOptions {
  Param<int> window_size = 3;  // 1, 3, 5 or 7
  Param<float> scale = 1.f;    // factor of the sum, before it is clipped to 0 .. 255
};

Value<Image> laplacian(Value<Image> image, const LaplacianOptions& options = {});

namespace detail {
const OperatorPtr& laplacian_operator();
}  // namespace detail

// median_blur: removes specks by the median of a square.
//
// | takes              | layout, type | channels | returns           |
// |--------------------|--------------|----------|-------------------|
// | Image, window size | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// See ops/kernels/filter.h. Errors of a sample: an invalid window size.
struct MedianBlurOptions {
  Param<int> window_size = 3;  // 3 or 5; the side of the square
};

Value<Image> median_blur(Value<Image> image, const MedianBlurOptions& options = {});

namespace detail {
const OperatorPtr& median_blur_operator();
}  // namespace detail

// dilate and erode: grow the light or the dark parts of an image.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// See ops/kernels/filter.h.
struct MorphologyOptions {
  Param<int> window_height = 3, window_width = 3;  // up to 255
};

Value<Image> dilate(Value<Image> image, const MorphologyOptions& options = {});
Value<Image> erode(Value<Image> image, const MorphologyOptions& options = {});

namespace detail {
const OperatorPtr& dilate_operator();
const OperatorPtr& erode_operator();
}  // namespace detail

// motion_blur: blurs an image along a line, as if the camera moved.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// See ops/kernels/filter.h.
struct MotionBlurOptions {
  Param<int> length = 9;       // pixels, up to 255
  Param<float> degrees = 0.f;  // counter-clockwise; 0 moves along the rows
};

Value<Image> motion_blur(Value<Image> image, const MotionBlurOptions& options);

namespace detail {
const OperatorPtr& motion_blur_operator();
}  // namespace detail

// sharpness: sharpens or smooths an image.
//
// | takes         | layout, type | channels | returns           |
// |---------------|--------------|----------|-------------------|
// | Image, factor | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// Pillow's and torchvision's formula: see ops/kernels/filter.h. Errors of a sample: an invalid
// factor.

// 0 smooths, 1 changes nothing, 2 sharpens.
Value<Image> sharpness(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& sharpness_operator();
}  // namespace detail

// zoom_blur: blurs an image like a camera that zooms in while the shutter is open.
//
// | takes          | layout, type | channels | returns           |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// The mean of the image and of copies that are enlarged about its center by 1 + step_factor,
// 1 + 2 step_factor, and so on, below max_factor. See ops/kernels/warp.h. Errors of a sample: more
// than 256 copies.
struct ZoomBlurOptions {
  Param<float> max_factor = 1.11f;   // 1 to 10
  Param<float> step_factor = 0.01f;  // above 0, up to 10
};

Value<Image> zoom_blur(Value<Image> image, const ZoomBlurOptions& options = {});

namespace detail {
const OperatorPtr& zoom_blur_operator();
}  // namespace detail

}  // namespace sluice
