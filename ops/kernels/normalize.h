// Conversion of images to tensors of numbers, and back: crop_mirror_normalize,
// resize_mirror_normalize and to_image.
//
// Threads: any. Errors: std::invalid_argument, as each function's comment says.
#pragma once

#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// normalize: converts 8-bit pixels to the numbers that a network takes. Crops, mirrors, normalizes
// and changes the layout in one pass.
//
//   out = scale * (x / 255 - mean) / std + shift          per channel
//
// `mean` and `std` are in units of 0 .. 1, as in torchvision's Normalize after ToTensor (ImageNet:
// mean 0.485, 0.456, 0.406; std 0.229, 0.224, 0.225). `scale` and `shift` are those of DALI's
// operator, in units of the output. The result is computed in single precision as
// (x - 255 * mean) * (scale * (1 / (255 * std))) + shift, without fused operations, so that every
// machine produces the same bits. f16 and bf16 are that number rounded to nearest even. u8 and i8
// are the nearest whole number, halves to even, clipped to 0 .. 255 and -128 .. 127.
//
// Errors: an empty image, more than 4 channels, a region or size that is not possible, a number
// that is not finite, a std of zero or below, numbers for which f32, f16 or bf16 does not hold the
// results of pixel values 0 to 255, an output type other than f32, f16, bf16, u8 and i8, a layout
// other than CHW and HWC.

struct NormalizeParams {
  bool mirror = false;  // flips horizontally
  // Per channel. Extra entries are ignored. For one channel, entries 1 and 2 must be 0 or equal
  // entry 0.
  std::array<float, 4> mean{0, 0, 0, 0};
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
// Throws unless a channel can have this std.
void check_std(const char* op, std::size_t channel, float std);
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
void normalize(const char* op, DeferredImage image, const NormalizeParams& params, Tensor& out);

// Produces, byte for byte, the result of resize(), flip() and crop_mirror_normalize() in sequence
// on the whole image, including the 8-bit rounding in between, without intermediate images. To
// resize a part, pass a view (Image::crop_view()).
void resize_mirror_normalize(const Image& in, int height, int width, const ResizeFilter& filter,
                             const NormalizeParams& params, Tensor& out);

// to_image: converts a tensor of numbers to an image.
//
// Errors: a shape that is not an image's, NaN, and as described below.

// `in`: (height, width) for a gray image; (channels, height, width) if its layout is CHW; else
// (height, width, channels). It has 1 to 4 channels, and no size is 0. A number is multiplied by
// 255 / `white`, rounded to the nearest integer, halves up, and clipped to 0 and 255. A bool counts
// as 0 or 1.
void to_image(const Tensor& in, Image& out, float white = 255);

// Throws std::invalid_argument if no number is above 1 and one is a fraction. The image would be
// black, so the numbers are probably from 0 to 1, and the caller must pass `white`.
void require_levels(const Tensor& in);

// The inner loops, in normalize_rows.cpp: by SIMD instructions chosen when the program runs.

// Converts a row to planes: channel c of pixel x goes to element c * plane + x of `out`. `dtype`:
// f32, f16, bf16, u8 or i8. channels: 1 to 4. Reads and writes nothing beyond the row.
void normalize_to_planes(const std::uint8_t* row, int width, int channels,
                         const ChannelScale& scale, DType dtype, std::byte* out, std::size_t plane);

// Converts a row to interleaved channels. `padded`: each 3-channel pixel gets a fourth channel of
// zero.
void normalize_interleaved(const std::uint8_t* row, int width, int channels,
                           const ChannelScale& scale, bool padded, DType dtype, std::byte* out);

// Rounds each number to the nearest integer, halves up. Numbers below 0 and NaN become 0; those
// above 255 become 255.
void rounded_levels(const float* numbers, std::size_t count, std::uint8_t* levels);

}  // namespace sluice::kernels
