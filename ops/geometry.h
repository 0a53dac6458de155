// Operators that move pixels: crop, resize, rotate, warp.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/image.h>

#include <array>

namespace sluice {

// crop and center_crop: a rectangle of a picture.
//
// | takes         | layout, type | channels | gives                        |
// |---------------|--------------|----------|------------------------------|
// | Image, Rectangle | HWC, 8 bit   | 1 to 4   | Image of the region's size   |
//
// Errors of a sample: a region that does not lie inside its picture, where it has to; one that is
// empty, or has nothing of the picture and shall be trimmed.
struct CropOptions {
  OutOfBounds out_of_bounds = OutOfBounds::error;
  Param<Fill> fill = 0;  // of what lies outside, where that is padded
};

Value<Image> crop(Value<Image> image, Param<Rectangle> region, const CropOptions& options = {});

struct CenterCropOptions {
  Param<int> width = 0;
  Param<int> height = 0;
};

// The middle of the picture; half pixels are rounded to even, as torchvision does.
Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options);

namespace detail {
const OperatorPtr& crop_operator();
const OperatorPtr& crop_padded_operator();  // what out_of_bounds = pad records
const OperatorPtr& center_crop_operator();
}  // namespace detail

// elastic: pictures as if painted on rubber, pulled at random.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/elastic.h. Random numbers are those of the sample's key.
struct ElasticOptions {
  Param<float> alpha = 50.f;  // how far pixels move, before they are smoothed: alpha / 2 at most
  Param<float> sigma = 5.f;   // how smoothly, in pixels
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> elastic(Value<Image> image, const ElasticOptions& options = {});

namespace detail {
const OperatorPtr& elastic_operator();
}  // namespace detail

// expand: pictures somewhere on a larger canvas of one colour, as SSD zooms out.
//
// | takes | layout, type | channels | gives                          |
// |-------|--------------|----------|--------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, `ratio` times as large  |
//
// Sizes and places: see ops/kernels/expand.h. Errors of a sample: a canvas of more than 65535
// pixels on a side.
struct ExpandOptions {
  Param<float> ratio = 2.f;  // of each side
  // Which share of the free rows lies above, and of the free columns left of the picture.
  Param<float> y = 0.5f, x = 0.5f;
  Param<Fill> fill = 0;
};

Value<Image> expand(Value<Image> image, const ExpandOptions& options);

namespace detail {
const OperatorPtr& expand_operator();
}  // namespace detail

// flip: left and right, or top and bottom, exchanged.
//
// | takes | layout, type | channels | gives             |
// |-------|--------------|----------|-------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, same shape |
struct FlipOptions {
  Param<bool> horizontal = true;
  Param<bool> vertical = false;
};

Value<Image> flip(Value<Image> image, const FlipOptions& options = {});

namespace detail {
const OperatorPtr& flip_operator();
}  // namespace detail

// lens_distortion: pictures as simple lenses make them, lines bent inwards or outwards.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/lens_distortion.h.
struct LensDistortionOptions {
  Param<float> k1 = 0.f, k2 = 0.f;  // of r^2 and r^4, where r is 1 at the corners
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> lens_distortion(Value<Image> image, const LensDistortionOptions& options);

namespace detail {
const OperatorPtr& lens_distortion_operator();
}  // namespace detail

// pad_image: pictures with a margin.
//
// | takes | layout, type | channels | gives                          |
// |-------|--------------|----------|--------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, larger by the margins   |
//
// What stands in the margin: see ops/kernels/pad.h. Errors of a sample: margins below 0, and a
// result of more than 65535 pixels on a side.
struct PadImageOptions {
  Param<int> left = 0, top = 0, right = 0, bottom = 0;  // pixels
  // The least size of the result; what the margins leave open is added to the right and at the
  // bottom. 0 means any.
  Param<int> width = 0, height = 0;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

Value<Image> pad_image(Value<Image> image, const PadImageOptions& options);

namespace detail {
const OperatorPtr& pad_image_operator();
}  // namespace detail

// perspective and warp_perspective: pictures from another point of view.
//
// | takes         | layout, type | channels | gives                                    |
// |---------------|--------------|----------|------------------------------------------|
// | Image, points | HWC, 8 bit   | 1 to 4   | Image of the same size                   |
// | Image, matrix | HWC, 8 bit   | 1 to 4   | Image of the size asked for, or its own   |
//
// Pixels: see ops/kernels/perspective.h. Errors of a sample: three points on a line.

// Four places in the picture, in pixels, where pixel (x, y) covers [x, x + 1) x [y, y + 1).
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

// What stands at the corners `from` comes to those of `to`.
Value<Image> perspective(Value<Image> image, const Corners& from, const Corners& to,
                         const PerspectiveOptions& options = {});

// Of place (x, y) it makes ((xx x + xy y + x0) / w, (yx x + yy y + y0) / w), where w is
// wx x + wy y + w0.
struct PerspectiveMatrix {
  Param<float> xx = 1.f, xy = 0.f, x0 = 0.f;
  Param<float> yx = 0.f, yy = 1.f, y0 = 0.f;
  Param<float> wx = 0.f, wy = 0.f, w0 = 1.f;
};

struct WarpPerspectiveOptions {
  Param<int> width = 0, height = 0;  // 0: the input's
  Interpolation interpolation = Interpolation::bilinear;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

// The matrix makes places of the input of those of the output.
Value<Image> warp_perspective(Value<Image> image, const PerspectiveMatrix& matrix,
                              const WarpPerspectiveOptions& options = {});

namespace detail {
const OperatorPtr& perspective_operator();
const OperatorPtr& warp_perspective_operator();
}  // namespace detail

// random_resized_crop: a random region of a picture, resized; and random_region, the region alone.
//
// clang-format off
// | operator            | takes                | gives
// |---------------------|----------------------|----------------------------------------
// | random_region       | JPEG bytes, or Image | Rectangle inside the picture
// | random_resized_crop | JPEG bytes, or Image | Image of height x width, HWC, 8 bit
// clang-format on
//
// Given the bytes of a JPEG file, only the region is decoded: the size comes from the header, and
// the pixels are exactly those that decoding everything and cutting would give, unless `shrink`
// allows to come close to them only. Regions are drawn as torchvision's RandomResizedCrop does it:
// see ops/kernels/crop.h.
struct RandomRegionOptions {
  float min_area = 0.08f;  // of the picture, above 0 up to 1
  float max_area = 1.f;
  float min_ratio = 3.f / 4;  // width / height, above 0
  float max_ratio = 4.f / 3;
};

// With `jpeg`, the region counts in the picture as its EXIF orientation turns it when
// `apply_orientation`.
Value<Rectangle> random_region(Value<Bytes> jpeg, const RandomRegionOptions& options = {},
                               bool apply_orientation = true);
Value<Rectangle> random_region(Value<ByteSpan> jpeg, const RandomRegionOptions& options = {},
                               bool apply_orientation = true);
Value<Rectangle> random_region(Value<Image> image, const RandomRegionOptions& options = {});

struct RandomResizedCropOptions {
  Param<int> width = 224;
  Param<int> height = 224;
  float min_area = 0.08f;
  float max_area = 1.f;
  float min_ratio = 3.f / 4;
  float max_ratio = 4.f / 3;
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = true;  // as in ResizeOptions
  JpegOptions jpeg = {};
  // For JPEG files: lets the decoder shrink large regions by 2, 4 or 8 before they are resized, by
  // as much as leaves at least twice the pixels that are wanted in both directions; the resize then
  // still has enough to filter. Faster, and not quite the same pixels: docs/jpeg.md has figures.
  // Smaller regions are not affected. The outermost pixels are filtered with up to one shrunk pixel
  // of what lies around the region.
  bool shrink = false;
};

Value<Image> random_resized_crop(Value<Bytes> jpeg, const RandomResizedCropOptions& options = {});
Value<Image> random_resized_crop(Value<ByteSpan> jpeg,
                                 const RandomResizedCropOptions& options = {});
Value<Image> random_resized_crop(Value<Image> image, const RandomResizedCropOptions& options = {});

namespace detail {
const OperatorPtr& random_region_operator();
const OperatorPtr& random_region_of_file_operator();
const OperatorPtr& decode_and_resize_operator();  // what `shrink` allows
OperatorSchema random_resized_crop_schema();
}  // namespace detail

// resize: pictures in another size, antialiased unless it is turned off.
//
// | takes | layout, type | channels | gives                                         |
// |-------|--------------|----------|-----------------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the size that the options ask for     |
//
// Grid, filters and weights are Pillow's; these and the sizes: see ops/kernels/resize.h. Errors of
// a sample: sizes below 1, and a region of interest that is empty or reaches beyond the picture.

// Give height and width, or one of them: see ResizeMode; or `shorter`, the length of the shorter
// side: the longer one follows, cut to whole pixels as torchvision does. 0 means not given.
struct ResizeOptions {
  Param<int> width = 0;
  Param<int> height = 0;
  Param<int> shorter = 0;
  Interpolation interpolation = Interpolation::bilinear;
  ResizeMode mode = ResizeMode::as_given;
  // No side becomes longer. The shape is kept, unless height and width are both given as they
  // shall be.
  Param<int> max_size = 0;
  // The part of the picture that is shown, from start to end, in pixels and parts of them, or as
  // shares of the sides. The filter reads what lies around it, too. An end of 0 is the picture's.
  Param<float> roi_start_y = 0.f, roi_start_x = 0.f;
  Param<float> roi_end_y = 0.f, roi_end_x = 0.f;
  bool roi_relative = false;
  // Of a picture that becomes smaller, each pixel has a part. Without it, only those next to each
  // place: see ops/kernels/interpolation.h.
  bool antialias = true;
};

// Throws BuildError when no size is given, or `shorter` together with another.
Value<Image> resize(Value<Image> image, const ResizeOptions& options);

namespace detail {
const OperatorPtr& resize_operator();
}  // namespace detail

// rotate: pictures turned counter-clockwise about their centre.
//
// | takes          | layout, type | channels | gives |
// |----------------|--------------|----------|----------------------------------------------------------|
// | Image, degrees | HWC, 8 bit   | 1 to 4   | Image that holds all of it, or of the same size |
//
// The geometry is Pillow's: see ops/kernels/rotate.h. Errors of a sample: an angle that is not
// finite.
struct RotateOptions {
  bool keep_size = false;
  Param<Fill> fill = 0;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
};

Value<Image> rotate(Value<Image> image, Param<float> degrees, const RotateOptions& options = {});

namespace detail {
const OperatorPtr& rotate_operator();
// A fill as the operator has it, rounded to whole levels.
Fill fill_of(const std::array<float, 4>& numbers);
}  // namespace detail

// shear: pictures whose rows slide along each other, or their columns.
//
// | takes       | layout, type | channels | gives             |
// |-------------|--------------|----------|-------------------|
// | Image, x, y | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// The sense of x and y: see ops/kernels/shear.h. Errors of a sample: x * y of 1.
struct ShearOptions {
  Param<float> x = 0.f, y = 0.f;                          // the tangent of the angle
  Param<float> center_x = 0.f, center_y = 0.f;            // 0.5 is the middle of the picture
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// Throws BuildError for constants x and y whose product is 1.
Value<Image> shear(Value<Image> image, const ShearOptions& options);

namespace detail {
const OperatorPtr& shear_operator();
}  // namespace detail

// translate: pictures moved to the right and down; what leaves them is lost.
//
// | takes       | layout, type | channels | gives             |
// |-------------|--------------|----------|-------------------|
// | Image, x, y | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// Parts of a pixel are blended: see ops/kernels/translate.h.
struct TranslateOptions {
  Param<float> x = 0.f, y = 0.f;
  bool relative = false;  // they are shares of the width and the height, not pixels
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> translate(Value<Image> image, const TranslateOptions& options);

namespace detail {
const OperatorPtr& translate_operator();
}  // namespace detail

// transpose: rows become columns.
//
// | takes | layout, type | channels | gives                              |
// |-------|--------------|----------|------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, height and width exchanged  |
Value<Image> transpose(Value<Image> image);

namespace detail {
const OperatorPtr& transpose_operator();
}  // namespace detail

// warp_affine: pictures whose pixels stand where an affine map leads.
//
// | takes         | layout, type | channels | gives                                    |
// |---------------|--------------|----------|------------------------------------------|
// | Image, matrix | HWC, 8 bit   | 1 to 4   | Image of the size asked for, or its own   |
//
// Pixels: see ops/kernels/warp_affine.h. Errors of a sample: a map that leads more than 16777216
// pixels away, or, with inverse_map off, one that cannot be turned round.

// Of place (x, y), where pixel (c, r) covers [c, c + 1) x [r, r + 1), it makes
// (xx x + xy y + x0, yx x + yy y + y0).
struct AffineMatrix {
  Param<float> xx = 1.f, xy = 0.f, x0 = 0.f;
  Param<float> yx = 0.f, yy = 1.f, y0 = 0.f;
};

struct WarpAffineOptions {
  Param<int> width = 0, height = 0;  // 0: the input's
  // The matrix makes places of the input of those of the output; else those of the output of those
  // of the input.
  bool inverse_map = true;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// Throws BuildError for a constant matrix that cannot be turned round where it has to be.
Value<Image> warp_affine(Value<Image> image, const AffineMatrix& matrix,
                         const WarpAffineOptions& options = {});

namespace detail {
const OperatorPtr& warp_affine_operator();
}  // namespace detail

}  // namespace sluice
