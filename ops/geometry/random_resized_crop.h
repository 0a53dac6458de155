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
// allows to come close to them only. Regions are drawn
// as torchvision's RandomResizedCrop does it: see ops/kernels/crop_regions.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/ops/kernels/interpolation.h>

namespace sluice {

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

}  // namespace sluice
