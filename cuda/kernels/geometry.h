// Geometry kernels: operators that move pixels, resize, rotate and distort images, or combine
// several. One launch, or a few, serve many samples: fill in a job for each sample, add it to a
// JobBlock (see tiles.h), and launch all jobs of one kind.
//
// The results equal those of the operators in ops/, bit for bit, except as said at resize_job().
//
// Ownership: none; images, tables, scratch memory and jobs belong to the caller and live until the
// launches are over. Inputs and outputs do not overlap. Threads: any. Errors:
// std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/blend_tile.h>
#include <sluice/cuda/kernels/copy_pixels_tile.h>
#include <sluice/cuda/kernels/fill_rects_tile.h>
#include <sluice/cuda/kernels/remap_tile.h>
#include <sluice/cuda/kernels/resize_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/cuda/kernels/warp_tile.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// Operations on single pixels, each sample with its own: crop, flip, quarter turns, copies between
// any strides and layouts, casts, lookup tables, brightness and contrast, normalization; and any
// combination of them.
//
//   PixelsIn in = hwc_pixels(3, stride);
//   in = cropped(in, {y, x, height, width});
//   in = mirrored(in, width);                                   // if wanted
//   CopyPixelsJob job = copy_pixels_job(in, normalized_out(height, width, 3, params));
//   place_pixels(job, in_address, out_address);
//   block.add(job);
//   launch_copy_pixels(stream, block.on_device(address));
//
// A number that becomes a pixel value is rounded to nearest, halves to even, and clipped to 0 ..
// 255. f32 becomes f16 as in Half (a NaN may have other bits on a GPU).

// Interleaved channels; `row` counts numbers, not bytes.
PixelsIn hwc_pixels(int channels, std::int64_t row, DType dtype = DType::u8);
// Densely packed planes.
PixelsIn chw_pixels(int height, int width, DType dtype = DType::u8);

// Other views of the same pixels. Sizes are those of the argument.
PixelsIn cropped(PixelsIn in, const Rectangle& region);
PixelsIn mirrored(PixelsIn in, int width);
PixelsIn upside_down(PixelsIn in, int height);
PixelsIn transposed(PixelsIn in);
PixelsIn turned_left(PixelsIn in, int width);  // a quarter turn, counter-clockwise
PixelsIn turned_right(PixelsIn in, int height);

// Densely packed, u8, i8, f16, bf16 or f32. Numbers are not scaled: 0 .. 255.
PixelsOut pixels_out(int height, int width, int channels, DType dtype = DType::u8,
                     Layout layout = Layout::hwc);
// Normalized as in normalize.h, except for `params.mirror`, which applies to the input.
PixelsOut normalized_out(int height, int width, int channels,
                         const kernels::NormalizeParams& params);

// `in` must have the pixels and channels of `out`.
CopyPixelsJob copy_pixels_job(const PixelsIn& in, const PixelsOut& out);
// Copies rows of bytes, as images of one channel.
CopyPixelsJob copy_job(int rows, int bytes, std::int64_t in_stride, std::int64_t out_stride);
void place_pixels(CopyPixelsJob& job, const void* in, void* out);
void launch_copy_pixels(DeviceStream& stream, const Batch<CopyPixelsJob>& batch);

// Resizes images, or parts of them, by two launches. Depending on its PixelsOut, a job is resize,
// resize + flip, or resize_mirror_normalize. With hamming and lanczos the result may differ by 1 of
// 255 on a GPU, whose sines differ from the host's.
//
//   ResizeJob job = resize_job(375, 500, {0, 0, 375, 500}, Interpolation::bilinear, mirror,
//                              normalized_out(224, 224, 3, params));
//   bytes += resize_scratch(job);  // device memory, until the launch is over
//   place_resize(job, in, in_stride, out, scratch);  // device addresses
//
// `box` must not be empty, and must lie inside the image. `out` defines the size and the channels.
ResizeJob resize_job(int in_height, int in_width, const kernels::Box& box,
                     const kernels::ResizeFilter& filter, bool mirror, const PixelsOut& out);
// Returns the bytes of device memory that the job needs, a multiple of 16.
std::size_t resize_scratch(const ResizeJob& job);
// `in_stride`: bytes from row to row, at least those of a row. `scratch` is aligned to 16.
void place_resize(ResizeJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out,
                  void* scratch);
void launch_resize(DeviceStream& stream, const Batch<ResizeJob>& batch);

// Affine maps, nearest or bilinear: rotate, warp_affine, shear, translate. Outside of the image
// they use a fill color or the edge. `out` may be changed, to normalize or to map pixel values.
//
//   WarpJob job = rotate_job(375, 500, 3, 30, {.fill = 128});
//   place_warp(job, in, in_stride, out);       // device addresses; job.out has the size

// The map from a rotated image to its input, and its size.
struct Rotation {
  Affine from;
  int height = 0, width = 0;
  bool whole_pixels = false;  // for multiples of 90 degrees: each pixel equals one of the input
};
Rotation rotation_of(int in_height, int in_width, float degrees, bool keep_size);

// `out` defines the size and the channels. Nearest or bilinear only.
WarpJob warp_job(int in_height, int in_width, const Affine& from, Interpolation interpolation,
                 const Fill& fill, const PixelsOut& out);
// As warp_affine of ops/; the caller has checked the map.
WarpJob warp_job(int in_height, int in_width, const kernels::AffineMap& from,
                 const kernels::WarpOptions& options, const PixelsOut& out);
// The output is 8-bit pixels with interleaved channels.
WarpJob rotate_job(int in_height, int in_width, int channels, float degrees,
                   const kernels::RotateOptions& options);
// `in_stride`: bytes from row to row.
void place_warp(WarpJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out);
void launch_warp(DeviceStream& stream, const Batch<WarpJob>& batch);

// zoom_blur. Both images have the same size and the same 1 to 4 channels. `copies`: `count` of them
// in device memory.
ZoomBlurJob zoom_blur_job(const ImageIn& in, const ImageOut& out, const ZoomedCopy* copies,
                          int count);
void launch_zoom_blur(DeviceStream& stream, const Batch<ZoomBlurJob>& batch);

// Samples an image at arbitrary positions, nearest, bilinear or bicubic: perspective,
// warp_perspective, lens_distortion, elastic, remap and grid_distortion.
//
//   RemapJob job = remap_job(in, out, options);
//   from_matrix(job, map);                       // or from_lens(), from_displacement() ...
//
// Both images have the same 1 to 4 channels. The caller has checked the options.
RemapJob remap_job(const ImageIn& in, const ImageOut& out, const kernels::WarpOptions& options);
void from_matrix(RemapJob& job, const kernels::PerspectiveMap& map);
void from_lens(RemapJob& job, const kernels::Lens& lens);
// `shifts`: see RemapJob. They are multiplied by `pixels`.
void from_displacement(RemapJob& job, const float* shifts, double pixels);
// `field`: device memory, as in warp_fields.h of ops/kernels, of the size of the output.
void from_field(RemapJob& job, const float* field);
void launch_remap(DeviceStream& stream, const Batch<RemapJob>& batch);

// The displacements of elastic, before they are scaled, by three launches: random numbers, and two
// blurs.
//
//   DisplacementJob job = displacement_job(height, width, random.words());
//   job.weights = ...; job.count = ...;          // of kernels::elastic_weights()
//   job.shifts = ...; job.between = ...;         // device memory: displacement_size(job) numbers,
//                                                // for each of them
DisplacementJob displacement_job(int height, int width, const RandomWords& words);
void launch_displacement(DeviceStream& stream, const Batch<DisplacementJob>& batch);

// pad_image, expand, crop_padded, erase, coarse_dropout and grid_mask: copies or shifts pixels, and
// covers a part with a color.
//
//   FillRectsJob job = fill_rects_job(in, out, 128);  // copies, until a change is set
//   fill_rectangle(job, {y, x, height, width});
//
// Both images have the same 1 to 4 channels.
FillRectsJob fill_rects_job(const ImageIn& in, const ImageOut& out, const Fill& fill);
// Puts the input `top` pixels below the upper edge of the output, and `left` pixels to the right of
// its left edge. Negative margins cut it off.
void fill_margins(FillRectsJob& job, int top, int left, Border border);
// Covers the part of the region that lies inside the image.
void fill_rectangle(FillRectsJob& job, const Rectangle& region);
// `rectangles`: `count` of them in device memory.
void fill_rectangles(FillRectsJob& job, const FillRect* rectangles, int count);
void fill_grid(FillRectsJob& job, const kernels::GridMask& mask);
// Adds noise to the color. 0 adds none. The caller sets the quantiles.
void fill_with_noise(FillRectsJob& job, const RandomWords& words, float noise);
void launch_fill_rects(DeviceStream& stream, const Batch<FillRectsJob>& batch);

// paste and blend.
//
//   BlendJob job = blend_job(in, patch, out);
//   paste_layer(job, {y, x, alpha});             // or blend_layers(job, weight)
//
// All images have the same 1 to 4 channels; `in` and `out` have the same size.
BlendJob blend_job(const ImageIn& in, const ImageIn& patch, const ImageOut& out);
void paste_layer(BlendJob& job, const kernels::PastePlace& place);
// `mask`: one channel, the size of the patch.
void paste_layer(BlendJob& job, const kernels::PastePlace& place, const ImageIn& mask);
// All images must have the same size.
void blend_layers(BlendJob& job, float weight);
void launch_blend(DeviceStream& stream, const Batch<BlendJob>& batch);

}  // namespace sluice::device
