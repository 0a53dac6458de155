// Operators that move pixels: crop, resize, rotate, warp.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstdint>

namespace sluice {

// crop and center_crop: cut a rectangle out of an image.
//
// | takes            | layout, type | channels | returns                    |
// |------------------|--------------|----------|----------------------------|
// | Image, Rectangle | HWC, 8 bit   | 1 to 4   | Image of the region's size |
//
// Errors of a sample: an empty region; with OutOfBounds::error, a region that reaches outside the
// image; with OutOfBounds::trim, a region that does not overlap it.
struct CropOptions {
  OutOfBounds out_of_bounds = OutOfBounds::error;
  Param<Fill> fill = 0;  // of pixels outside the image, with OutOfBounds::pad
};

Value<Image> crop(Value<Image> image, Param<Rectangle> region, const CropOptions& options = {});

struct CropTensorOptions {
  OutOfBounds out_of_bounds = OutOfBounds::error;
  Param<double> fill = 0;  // one number for all channels
};

// Takes a tensor of height x width x channels: see ops/kernels/tensor_images.h.
Value<Tensor> crop(Value<Tensor> tensor, Param<Rectangle> region,
                   const CropTensorOptions& options = {});

struct CenterCropOptions {
  Param<int> height = 0;
  Param<int> width = 0;
};

// Crops the center of the image; half pixels are rounded to even, as in torchvision.
Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options);

namespace detail {
const OperatorPtr& crop_operator();
const OperatorPtr& crop_padded_operator();  // used for out_of_bounds = pad
const OperatorPtr& crop_tensor_operator();
const OperatorPtr& crop_padded_tensor_operator();
const OperatorPtr& center_crop_operator();
}  // namespace detail

// elastic: elastic deformation by a smoothed random displacement field.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// See ops/kernels/places.h. Random numbers come from the sample's key.
struct ElasticOptions {
  Param<float> alpha = 50.f;  // displacement before smoothing: alpha / 2 pixels at most
  Param<float> sigma = 5.f;   // smoothness, in pixels
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> elastic(Value<Image> image, const ElasticOptions& options = {});

namespace detail {
const OperatorPtr& elastic_operator();
}  // namespace detail

// expand: places an image on a larger canvas of one color, like SSD's zoom-out.
//
// | takes | layout, type | channels | returns                        |
// |-------|--------------|----------|--------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, `ratio` times as large  |
//
// For sizes and positions see ops/kernels/moves.h. Errors of a sample: a canvas of more than 65535
// pixels on a side.
struct ExpandOptions {
  Param<float> ratio = 2.f;  // of each side
  // The share of the free rows above the image, and of the free columns to its left.
  Param<float> y = 0.5f, x = 0.5f;
  Param<Fill> fill = 0;
};

Value<Image> expand(Value<Image> image, const ExpandOptions& options);

namespace detail {
const OperatorPtr& expand_operator();
}  // namespace detail

// flip: mirrors an image horizontally, vertically or both.
//
// | takes | layout, type | channels | returns           |
// |-------|--------------|----------|-------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, same shape |
struct FlipOptions {
  Param<bool> horizontal = true;
  Param<bool> vertical = false;
};

Value<Image> flip(Value<Image> image, const FlipOptions& options = {});
// Takes a tensor of height x width x channels: see ops/kernels/tensor_images.h.
Value<Tensor> flip(Value<Tensor> tensor, const FlipOptions& options = {});

namespace detail {
const OperatorPtr& flip_tensor_operator();
const OperatorPtr& flip_operator();
}  // namespace detail

// lens_distortion: distorts an image like a simple lens, bending lines inward or outward.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// See ops/kernels/places.h.
struct LensDistortionOptions {
  Param<float> k1 = 0.f, k2 = 0.f;  // coefficients of r^2 and r^4, where r is 1 at the corners
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> lens_distortion(Value<Image> image, const LensDistortionOptions& options);

namespace detail {
const OperatorPtr& lens_distortion_operator();
}  // namespace detail

// pad_image: adds margins to an image.
//
// | takes | layout, type | channels | returns                        |
// |-------|--------------|----------|--------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, larger by the margins   |
//
// For the content of the margins see ops/kernels/moves.h. Errors of a sample: margins below 0, and
// a result of more than 65535 pixels on a side.
struct PadImageOptions {
  Param<int> left = 0, top = 0, right = 0, bottom = 0;  // pixels
  // The minimum size of the result. If the margins do not reach it, more is added at the right and
  // the bottom. 0: no minimum.
  Param<int> height = 0, width = 0;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

Value<Image> pad_image(Value<Image> image, const PadImageOptions& options);

namespace detail {
const OperatorPtr& pad_image_operator();
}  // namespace detail

// perspective, random_perspective and warp_perspective: apply a perspective transformation to an
// image.
//
// | takes         | layout, type | channels | returns                                 |
// |---------------|--------------|----------|-----------------------------------------|
// | Image, points | HWC, 8 bit   | 1 to 4   | Image of the same size                  |
// | Image         | HWC, 8 bit   | 1 to 4   | Image of the same size                  |
// | Image, matrix | HWC, 8 bit   | 1 to 4   | Image of the size asked for, or its own |
//
// See ops/kernels/places.h. The random numbers of random_perspective come from the sample's key.
// Errors of a sample: three given points on a line.

// Four points in the image, in pixels, where pixel (x, y) covers [x, x + 1) x [y, y + 1).
struct Corners {
  Param<float> top_left_x = 0.f, top_left_y = 0.f;
  Param<float> top_right_x = 0.f, top_right_y = 0.f;
  Param<float> bottom_right_x = 0.f, bottom_right_y = 0.f;
  Param<float> bottom_left_x = 0.f, bottom_left_y = 0.f;
};

struct PerspectiveOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// Moves the content at the corners `from` to the corners `to`.
Value<Image> perspective(Value<Image> image, const Corners& from, const Corners& to,
                         const PerspectiveOptions& options = {});

struct RandomPerspectiveOptions {
  // The largest distance of a corner along x / half of the width, and likewise along y; 0 to 1.
  Param<float> distortion_scale = 0.5f;
  Param<float> probability = 0.5f;  // that the image changes
  Interpolation interpolation = Interpolation::bilinear;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

// Moves the four corners inward by random distances, like torchvision's RandomPerspective.
Value<Image> random_perspective(Value<Image> image, const RandomPerspectiveOptions& options = {});

// Maps (x, y) to ((xx x + xy y + x0) / w, (yx x + yy y + y0) / w), where w is wx x + wy y + w0.
struct PerspectiveMatrix {
  Param<float> xx = 1.f, xy = 0.f, x0 = 0.f;
  Param<float> yx = 0.f, yy = 1.f, y0 = 0.f;
  Param<float> wx = 0.f, wy = 0.f, w0 = 1.f;
};

struct WarpPerspectiveOptions {
  Param<int> height = 0, width = 0;  // 0: the input's
  Interpolation interpolation = Interpolation::bilinear;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

// The matrix maps output coordinates to input coordinates.
Value<Image> warp_perspective(Value<Image> image, const PerspectiveMatrix& matrix,
                              const WarpPerspectiveOptions& options = {});

namespace detail {
const OperatorPtr& perspective_operator();
const OperatorPtr& random_perspective_operator();
const OperatorPtr& warp_perspective_operator();
}  // namespace detail

// random_resized_crop: crops a random region and resizes it. random_region: returns the region
// alone.
//
// clang-format off
// | operator            | takes                | returns
// |---------------------|----------------------|----------------------------------------
// | random_region       | JPEG bytes, or Image | Rectangle inside the image
// | random_resized_crop | JPEG bytes, or Image | Image of height x width, HWC, 8 bit
// clang-format on
//
// For the bytes of a JPEG file, only the region is decoded. The size comes from the header, and the
// pixels equal those of decoding everything and cropping, unless `shrink` allows an approximation.
// Regions are drawn like torchvision's RandomResizedCrop: see ops/kernels/moves.h.
struct RandomRegionOptions {
  float min_area = 0.08f;  // of the image, above 0 up to 1
  float max_area = 1.f;
  float min_ratio = 3.f / 4;  // width / height, above 0
  float max_ratio = 4.f / 3;
};

// With `jpeg`, the region is in coordinates of the image after EXIF orientation if
// `apply_orientation` is set.
Value<Rectangle> random_region(Value<Bytes> jpeg, const RandomRegionOptions& options = {},
                               bool apply_orientation = true);
Value<Rectangle> random_region(Value<ByteSpan> jpeg, const RandomRegionOptions& options = {},
                               bool apply_orientation = true);
Value<Rectangle> random_region(Value<Image> image, const RandomRegionOptions& options = {});

struct RandomResizedCropOptions {
  Param<int> height = 224;
  Param<int> width = 224;
  float min_area = 0.08f;
  float max_area = 1.f;
  float min_ratio = 3.f / 4;
  float max_ratio = 4.f / 3;
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = true;  // as in ResizeOptions
  JpegOptions jpeg = {};
  // For JPEG files: lets the decoder shrink large regions by 2, 4 or 8 before they are resized. It
  // shrinks only so far that at least twice the wanted pixels remain in both directions, so the
  // resize still has enough to filter. This is faster, but pixels differ slightly: docs/jpeg.md has
  // figures. Smaller regions are not affected. The outermost pixels are filtered with up to one
  // shrunk pixel of the surroundings of the region.
  bool shrink = false;
};

Value<Image> random_resized_crop(Value<Bytes> jpeg, const RandomResizedCropOptions& options = {});
Value<Image> random_resized_crop(Value<ByteSpan> jpeg,
                                 const RandomResizedCropOptions& options = {});
Value<Image> random_resized_crop(Value<Image> image, const RandomResizedCropOptions& options = {});

namespace detail {
const OperatorPtr& random_region_operator();
const OperatorPtr& random_region_of_file_operator();
const OperatorPtr& decode_and_resize_operator();  // used for `shrink`
OperatorSchema random_resized_crop_schema();
}  // namespace detail

// resize: resizes an image, antialiased unless turned off.
//
// | takes | layout, type | channels | returns                                    |
// |-------|--------------|----------|--------------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the size that the options ask for |
//
// Grid, filters and weights are Pillow's; for these and the sizes see ops/kernels/resize.h. Errors
// of a sample: sizes below 1, and a region of interest that is empty or reaches beyond the image.

// Set height and width, or one of them: see ResizeMode. Or set `shorter`, the length of the shorter
// side; the longer one follows, rounded down to whole pixels as in torchvision. 0 means not set.
struct ResizeOptions {
  Param<int> height = 0;
  Param<int> width = 0;
  Param<int> shorter = 0;
  Interpolation interpolation = Interpolation::bilinear;
  ResizeMode mode = ResizeMode::as_given;
  // The maximum length of either side. The aspect ratio is kept, except with mode `stretch` and
  // with two exact sizes (`as_given`): then each side is limited on its own.
  Param<int> max_size = 0;
  // The part of the image that is shown, from start to end, in pixels (fractions are allowed)
  // or as shares of the sides. The filter also reads pixels around it. An end of 0 is the image's
  // end.
  Param<float> roi_start_y = 0.f, roi_start_x = 0.f;
  Param<float> roi_end_y = 0.f, roi_end_x = 0.f;
  bool roi_relative = false;
  // When the image is reduced, every input pixel contributes to the result. Without it, only the
  // pixels next to each sampling position do: see ops/kernels/option_types.h.
  bool antialias = true;
};

// Throws BuildError if no size is given, or `shorter` together with another size.
Value<Image> resize(Value<Image> image, const ResizeOptions& options);
// Takes a tensor of height x width x channels: see ops/kernels/tensor_images.h.
Value<Tensor> resize(Value<Tensor> tensor, const ResizeOptions& options);

namespace detail {
const OperatorPtr& resize_tensor_operator();
const OperatorPtr& resize_operator();
}  // namespace detail

// rot90: turns an image by multiples of 90 degrees. d4: applies one of the eight symmetries of a
// square.
//
// | takes          | layout, type | channels | returns                                    |
// |----------------|--------------|----------|--------------------------------------------|
// | Image, turns   | HWC, 8 bit   | 1 to 4   | Image; odd turns exchange height and width |
// | Image, element | HWC, 8 bit   | 1 to 4   | Image; odd elements exchange them, too     |
//
// turns: counter-clockwise, like numpy.rot90; negative turns are clockwise. element: 0 to 3 are
// that number of turns, 4 to 7 a horizontal flip and then 0 to 3 turns. So 4 is a horizontal flip,
// 5 the transpose, 6 a vertical flip, and 7 the transpose along the other diagonal.
Value<Image> rot90(Value<Image> image, Param<std::int32_t> turns);
Value<Image> d4(Value<Image> image, Param<std::int32_t> element);

namespace detail {
const OperatorPtr& rot90_operator();
const OperatorPtr& d4_operator();
}  // namespace detail

// rotate: rotates an image counter-clockwise about its center.
//
// | takes          | layout, type | channels | returns                                         |
// |----------------|--------------|----------|-------------------------------------------------|
// | Image, degrees | HWC, 8 bit   | 1 to 4   | Image that holds all of it, or of the same size |
//
// The geometry is Pillow's: see ops/kernels/warp.h. Errors of a sample: an angle that is not
// finite.
struct RotateOptions {
  bool keep_size = false;
  Param<Fill> fill = 0;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
};

Value<Image> rotate(Value<Image> image, Param<float> degrees, const RotateOptions& options = {});

struct RotateTensorOptions {
  bool keep_size = false;
  Param<double> fill = 0;                                 // one number for all channels
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
};

// Takes a tensor of height x width x channels: see ops/kernels/tensor_images.h.
Value<Tensor> rotate(Value<Tensor> tensor, Param<float> degrees,
                     const RotateTensorOptions& options = {});

namespace detail {
const OperatorPtr& rotate_tensor_operator();
const OperatorPtr& rotate_operator();
// Converts the operator's fill to a Fill, rounded to whole pixel values.
Fill fill_of(const std::array<float, 4>& numbers);
}  // namespace detail

// shear: slides the rows or the columns of an image along each other.
//
// | takes       | layout, type | channels | returns           |
// |-------------|--------------|----------|-------------------|
// | Image, x, y | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// For the direction of x and y see ops/kernels/warp.h. Errors of a sample: x * y of 1.
struct ShearOptions {
  Param<float> y = 0.f, x = 0.f;                          // tangent of the angle
  Param<float> center_y = 0.f, center_x = 0.f;            // 0.5 is the middle of the image
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// Throws BuildError for constants x and y whose product is 1.
Value<Image> shear(Value<Image> image, const ShearOptions& options);

namespace detail {
const OperatorPtr& shear_operator();
}  // namespace detail

// translate: moves an image to the right and down; pixels that leave it are lost.
//
// | takes       | layout, type | channels | returns           |
// |-------------|--------------|----------|-------------------|
// | Image, x, y | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// Fractions of a pixel are blended: see ops/kernels/warp.h.
struct TranslateOptions {
  Param<float> y = 0.f, x = 0.f;
  bool relative = false;      // y and x are shares of height and width, not pixels
  bool whole_pixels = false;  // distances are rounded toward zero
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> translate(Value<Image> image, const TranslateOptions& options);

namespace detail {
const OperatorPtr& translate_operator();
}  // namespace detail

// affine: shears, scales, rotates and moves an image in one warp.
//
// | takes              | layout, type | channels | returns           |
// |--------------------|--------------|----------|-------------------|
// | Image, the options | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// The steps are those of torchvision's affine: a shear along x, then along y, a scale and a
// rotation about the center, then a move. torchvision's angles have the opposite sign: see
// ops/kernels/warp.h. A value out of range fails its sample; a constant throws BuildError.
struct AffineOptions {
  Param<float> degrees = 0.f;                 // counter-clockwise
  Param<float> y = 0.f, x = 0.f;              // pixels down and to the right
  bool relative = false;                      // y and x are shares of height and width, not pixels
  Param<float> scale = 1.f;                   // 0.001 to 1000
  Param<float> shear_y = 0.f, shear_x = 0.f;  // -89 to 89 degrees
  Param<float> center_y = 0.5f, center_x = 0.5f;          // -10 to 10, as shares of the size
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> affine(Value<Image> image, const AffineOptions& options);

namespace detail {
const OperatorPtr& affine_operator();
}  // namespace detail

// transpose: exchanges rows and columns.
//
// | takes | layout, type | channels | returns                            |
// |-------|--------------|----------|------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, height and width exchanged  |
Value<Image> transpose(Value<Image> image);

namespace detail {
const OperatorPtr& transpose_operator();
}  // namespace detail

// warp_affine: applies an affine transformation to an image.
//
// | takes         | layout, type | channels | returns                                 |
// |---------------|--------------|----------|-----------------------------------------|
// | Image, matrix | HWC, 8 bit   | 1 to 4   | Image of the size asked for, or its own |
//
// See ops/kernels/warp.h. Errors of a sample: a map that leads more than 16777216 pixels
// away, and, with inverse_map off, a map that cannot be inverted.

// Maps (x, y) to (xx x + xy y + x0, yx x + yy y + y0). Pixel (c, r) covers
// [c, c + 1) x [r, r + 1).
struct AffineMatrix {
  Param<float> xx = 1.f, xy = 0.f, x0 = 0.f;
  Param<float> yx = 0.f, yy = 1.f, y0 = 0.f;
};

struct WarpAffineOptions {
  Param<int> height = 0, width = 0;  // 0: the input's
  // True: the matrix maps output coordinates to input coordinates. False: input to output.
  bool inverse_map = true;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// Throws BuildError for a constant matrix that must be inverted but cannot be.
Value<Image> warp_affine(Value<Image> image, const AffineMatrix& matrix,
                         const WarpAffineOptions& options = {});

namespace detail {
const OperatorPtr& warp_affine_operator();
}  // namespace detail

}  // namespace sluice
