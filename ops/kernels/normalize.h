// normalize: converts 8-bit pixels to the numbers that a network takes. Crops, mirrors, normalizes
// and changes the layout in one pass.
//
//   out = scale * (x / 255 - mean) / std + shift          per channel
//
// `mean` and `std` are in units of 0 .. 1, as in torchvision's Normalize after ToTensor (ImageNet:
// mean 0.485, 0.456, 0.406; std 0.229, 0.224, 0.225). `scale` and `shift` are those of DALI's
// operator, in units of the output. The result is computed in single precision as
// (x - 255 * mean) * (scale * (1 / (255 * std))) + shift, without fused operations, so that every
// machine produces the same bits. f16 is that number rounded to nearest even. u8 and i8 are the
// nearest whole number, halves to even, clipped to 0 .. 255 and -128 .. 127.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a region or size that is
// not possible, a number that is not finite, a std of zero or below, numbers for which f32 or f16
// does not hold the results of pixel values 0 to 255, an output type other than f32, f16, u8 and
// i8, a layout other than CHW and HWC. Threads: any.
#pragma once

#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>

namespace sluice::kernels {

struct NormalizeParams {
  bool mirror = false;                    // flips horizontally
  std::array<float, 4> mean{0, 0, 0, 0};  // per channel; extra entries are ignored
  std::array<float, 4> std{1, 1, 1, 1};
  DType dtype = DType::f32;
  Layout layout = Layout::chw;
  float scale = 1;
  float shift = 0;
  bool pad_output = false;  // 3 channels become 4; the fourth is zero
};

// Computes (x - offset) * factor + shift for each channel.
struct ChannelScale {
  std::array<float, 4> offset{};
  std::array<float, 4> factor{};
  float shift = 0;
};
// Throws unless this number of channels can be normalized with these parameters.
ChannelScale channel_scale(const char* op, const NormalizeParams& params, int channels);

// Return the channels of the output, and its shape. Throw for an invalid type or layout.
int output_channels(const NormalizeParams& params, int channels);
Shape normalized_shape(const char* op, const NormalizeParams& params, int height, int width,
                       int channels);

// Normalizes the region's pixels, mirrored within the region. `out`: (channels, height, width) or
// (height, width, channels).
void crop_mirror_normalize(const Image& in, const Rectangle& region, const NormalizeParams& params,
                           Tensor& out);

// Does the same for a whole deferred image; `params.mirror` mirrors it once more.
void normalize(const char* op, DeferredImage picture, const NormalizeParams& params, Tensor& out);

// Produces, byte for byte, the result of resize(), flip() and crop_mirror_normalize() in sequence
// on the whole image, including the 8-bit rounding in between, without intermediate images. To
// resize a part, pass a view (Image::crop_view()).
void resize_mirror_normalize(const Image& in, int height, int width, const ResizeFilter& filter,
                             const NormalizeParams& params, Tensor& out);

}  // namespace sluice::kernels
