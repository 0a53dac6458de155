// crop_mirror_normalize and resize_mirror_normalize: from 8-bit pictures to the tensors that a
// network takes.
//
// | takes | layout, type | channels | gives                                               |
// |-------|--------------|----------|-----------------------------------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Tensor, CHW or HWC, f32, f16, u8 or i8               |
//
// out = scale * (x / 255 - mean) / std + shift per channel: see ops/kernels/normalize.h. Both do
// all in one pass. Whole numbers are rounded to nearest and cut off at the type's ends; `scale` and
// `shift` bring the normalised numbers into its range.
//
// mean and std are in units of 0 .. 1 always. BuildError for a mean outside -1 .. 1 and a std
// outside 0 .. 1, which are in units of 0 .. 255: divide them by 255. Errors of a sample: a std of
// 0 for a channel that the picture has, and what the kernel refuses.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/rectangle.h>
#include <sluice/runtime/tensor.h>

#include <array>

namespace sluice {

// The usual mean and standard deviation of ImageNet's pictures, in units of 0 .. 1.
inline constexpr std::array<float, 4> kImageNetMean{0.485f, 0.456f, 0.406f, 0.f};
inline constexpr std::array<float, 4> kImageNetStd{0.229f, 0.224f, 0.225f, 1.f};

struct CropMirrorNormalizeOptions {
  // The size of the crop, which is cut out of the middle; 0 takes the whole picture.
  Param<int> width = 0;
  Param<int> height = 0;
  Param<bool> mirror = false;
  Param<std::array<float, 4>> mean = 0;
  Param<std::array<float, 4>> std = 1;
  DType dtype = DType::f32;  // or f16, u8, i8
  Layout layout = Layout::chw;
  Param<float> scale = 1;
  Param<float> shift = 0;
  bool pad_output = false;  // 3 channels become 4; the fourth is zero
};
Value<Tensor> crop_mirror_normalize(Value<Image> image,
                                    const CropMirrorNormalizeOptions& options = {});

struct ResizeMirrorNormalizeOptions {
  Param<int> width = 224;
  Param<int> height = 224;
  Param<bool> mirror = false;
  Param<std::array<float, 4>> mean = 0;
  Param<std::array<float, 4>> std = 1;
  DType dtype = DType::f32;  // or f16, u8, i8
  Layout layout = Layout::chw;
  Param<float> scale = 1;
  Param<float> shift = 0;
  bool pad_output = false;  // 3 channels become 4; the fourth is zero
  Interpolation interpolation = Interpolation::bilinear;
  bool antialias = true;  // as in ResizeOptions
};
// The same numbers, bit for bit, as resize, flip and crop_mirror_normalize one after the other.
Value<Tensor> resize_mirror_normalize(Value<Image> image,
                                      const ResizeMirrorNormalizeOptions& options = {});

namespace detail {
const OperatorPtr& crop_mirror_normalize_operator();
const OperatorPtr& resize_mirror_normalize_operator();
}  // namespace detail

}  // namespace sluice
