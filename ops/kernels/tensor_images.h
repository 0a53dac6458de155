// crop, flip, resize, rotate and normalize on tensors of height x width x channels numbers: images
// of more than 8 bits or more than 4 channels, such as 16-bit medical and satellite images.
//
// A tensor of two dimensions has one channel. The number of channels is not limited, unless a
// function says otherwise. Results are contiguous, of layout HWC and of the input's type. Sizes,
// positions and filters are those of the same functions for images (moves.h, resize.h, warp.h).
// crop and flip take all types; resize and rotate take u8, i8, i16, u16 and f32. Whole numbers are
// rounded to nearest and clipped to the range of the type. For u8 and up to 4 channels, results are
// those for images. Otherwise weights are not rounded.
//
// Threads: any; each has its own tables, which only grow. Errors: std::invalid_argument for a
// tensor that is empty or has another layout, number of dimensions or type, a side above 65535
// pixels, a fill that the type does not hold, and the errors of the functions for images.
#pragma once

#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::kernels {

// A tensor as an image.
struct PixelShape {
  int height = 0, width = 0;
  std::int64_t channels = 0;
  // True if these are the pixels of an Image.
  bool is_image(DType dtype) const { return dtype == DType::u8 && channels <= 4; }
};
PixelShape pixel_shape(const char* op, const Tensor& in);
// Throws unless elements of this type can be blended.
void check_blended(const char* op, DType dtype);

// The region that a crop shows, and the part of it that lies in the tensor; empty if none does.
struct TensorCrop {
  Rectangle shown, inside;
};
TensorCrop tensor_crop(const Tensor& in, const Rectangle& region, OutOfBounds out_of_bounds,
                       double fill);

// The region must lie inside, or with OutOfBounds::trim overlap the tensor. With OutOfBounds::pad
// it may lie anywhere; places outside get the fill.
void crop_tensor(const Tensor& in, const Rectangle& region, OutOfBounds out_of_bounds, double fill,
                 Tensor& out);

void flip_tensor(const Tensor& in, bool horizontal, bool vertical, Tensor& out);

void resize_tensor(const Tensor& in, const ResizeRequest& request, const ResizeFilter& filter,
                   Tensor& out);

// See rotate() in warp.h.
struct RotateTensorOptions {
  bool keep_size = false;
  double fill = 0;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
};
// Checks the arguments.
RotationGeometry tensor_rotation(const Tensor& in, float degrees,
                                 const RotateTensorOptions& options);
void rotate_tensor(const Tensor& in, float degrees, const RotateTensorOptions& options,
                   Tensor& out);

// out = (x / white - mean) / std for each channel. `white` is 255 for u8 and 65535 for u16, whose
// means must then be from -1 to 1 and deviations at most 1. It is 1 for all other types.
//
// mean, std: one number, or one for each channel. dtype: f32, f16 or bf16. The input has any type
// but bool. Errors: a std that is not above 0, and another number of channels.
struct NormalizeTensorOptions {
  std::span<const float> mean, std;
  DType dtype = DType::f32;
  Layout layout = Layout::chw;
};
// (x - offset) * factor
struct Normalization {
  double offset = 0, factor = 1;
};
// Returns that of each channel. Checks the arguments.
std::vector<Normalization> normalizations(const Tensor& in, const NormalizeTensorOptions& options);
void normalize_tensor(const Tensor& in, const NormalizeTensorOptions& options, Tensor& out);

}  // namespace sluice::kernels
