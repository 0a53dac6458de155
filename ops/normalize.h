// Operators that convert images to the normalized tensors that a network takes.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <vector>

namespace sluice {

// crop_mirror_normalize and resize_mirror_normalize: convert 8-bit images to the tensors that a
// network takes.
//
// | takes | layout, type | channels | returns                                |
// |-------|--------------|----------|----------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Tensor, CHW or HWC, f32, f16, bf16, u8 or i8 |
//
// out = scale * (x / 255 - mean) / std + shift per channel: see ops/kernels/normalize.h. Both do
// all of it in one pass. Integer types are rounded to nearest and clipped to the range of the type;
// use `scale` and `shift` to bring the normalized numbers into that range.
//
// mean and std are always in units of 0 .. 1. A mean outside -1 .. 1 or a std outside 0 .. 1 is
// probably in units of 0 .. 255 and raises BuildError: divide it by 255. A constant std of 0 raises
// BuildError, too, except at the end of the list, where it stands for channels that you left out.
// Errors of a sample: a std of 0 for a channel that the image has, and the kernel's own errors.

// The usual mean and standard deviation of ImageNet's images, in units of 0 .. 1.
inline constexpr std::array<float, 4> kImageNetMean{0.485f, 0.456f, 0.406f, 0.f};
inline constexpr std::array<float, 4> kImageNetStd{0.229f, 0.224f, 0.225f, 1.f};

struct CropMirrorNormalizeOptions {
  // The size of the center crop; 0 takes the whole image.
  Param<int> height = 0;
  Param<int> width = 0;
  Param<bool> mirror = false;
  Param<std::array<float, 4>> mean = 0;
  Param<std::array<float, 4>> std = 1;
  DType dtype = DType::f32;  // or f16, bf16, u8, i8
  Layout layout = Layout::chw;
  Param<float> scale = 1;
  Param<float> shift = 0;
  bool pad_output = false;  // 3 channels become 4; the fourth is zero
};
Value<Tensor> crop_mirror_normalize(Value<Image> image,
                                    const CropMirrorNormalizeOptions& options = {});

struct ResizeMirrorNormalizeOptions {
  Param<int> height = 224;
  Param<int> width = 224;
  Param<bool> mirror = false;
  Param<std::array<float, 4>> mean = 0;
  Param<std::array<float, 4>> std = 1;
  DType dtype = DType::f32;  // or f16, bf16, u8, i8
  Layout layout = Layout::chw;
  Param<float> scale = 1;
  Param<float> shift = 0;
  bool pad_output = false;  // 3 channels become 4; the fourth is zero
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = true;  // as in ResizeOptions
};
// Computes the same numbers, bit for bit, as resize, flip and crop_mirror_normalize in sequence.
Value<Tensor> resize_mirror_normalize(Value<Image> image,
                                      const ResizeMirrorNormalizeOptions& options = {});

// normalize: converts an image to the tensor (x / 255 - mean) / std. to_tensor: converts an image
// to a tensor.
//
// | takes | layout, type | channels | returns                                            |
// |-------|--------------|----------|----------------------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Tensor, CHW or HWC, f32, f16, bf16; to_tensor: u8, too |
//
// Both are crop_mirror_normalize without a crop and a mirror, and so are their limits and errors.
struct NormalizeOptions {
  Param<std::array<float, 4>> mean = 0;
  Param<std::array<float, 4>> std = 1;
  DType dtype = DType::f32;  // or f16, bf16
  Layout layout = Layout::chw;
};
Value<Tensor> normalize(Value<Image> image, const NormalizeOptions& options);

// Normalizes a tensor of height x width x channels, of any number type: (x / white - mean) / std
// for each channel. `white` is 255 for u8 and 65535 for u16. It is 1 for all other types, so mean
// and std are then in the units of the elements. See ops/kernels/tensor_images.h.
struct NormalizeTensorOptions {
  // One number for all channels, or one for each; 16 at most.
  std::vector<float> mean{0.f};
  std::vector<float> std{1.f};
  DType dtype = DType::f32;  // or f16, bf16
  Layout layout = Layout::chw;
};
// Throws BuildError for lists that are empty, too long, or of different lengths above 1, for a std
// that is not above 0, and for another dtype. Errors of a sample: another number of channels, and
// for u8 and u16 a mean or std that is not in units of 0 .. 1.
Value<Tensor> normalize(Value<Tensor> tensor, const NormalizeTensorOptions& options);

struct ToTensorOptions {
  DType dtype = DType::f32;  // or f16, bf16, u8
  Layout layout = Layout::chw;
};
// Pixels become 0 to 1, but stay 0 to 255 as u8.
Value<Tensor> to_tensor(Value<Image> image, const ToTensorOptions& options = {});

namespace detail {
const OperatorPtr& crop_mirror_normalize_operator();
const OperatorPtr& normalize_tensor_operator();
const OperatorPtr& resize_mirror_normalize_operator();
}  // namespace detail

}  // namespace sluice
