// Pixels kernel: operations on single pixels, for many samples by one launch, each with its own
// operation: crop, flip, quarter turns, copies between any strides and layouts, casts, lookup
// tables, brightness and contrast, normalization; and any combination of them.
//
//   PixelsIn in = hwc_pixels(3, stride);
//   in = cropped(in, {y, x, height, width});
//   in = mirrored(in, width);                                   // if wanted
//   PixelsJob job = pixels_job(in, normalized_out(height, width, 3, params));
//   place_pixels(job, in_address, out_address);
//   block.add(job);                                             // see tiles.h
//   launch_pixels(stream, block.on_device(address));
//
// The result equals that of crop, flip, brightness_contrast and crop_mirror_normalize in ops/, bit
// for bit. A number that becomes a pixel value is rounded to nearest, halves to even, and clipped
// to 0 .. 255. f32 becomes f16 as in Half (a NaN may have other bits on a GPU).
//
// Ownership: none; input, output, tables and jobs belong to the caller and live until the launch is
// over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/pixels_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

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

// `in` must have the pixels and channels of `out`.
PixelsJob pixels_job(const PixelsIn& in, const PixelsOut& out);
// Copies rows of bytes, as images of one channel.
PixelsJob copy_job(int rows, int bytes, std::int64_t in_stride, std::int64_t out_stride);
void place_pixels(PixelsJob& job, const void* in, void* out);
void launch_pixels(DeviceStream& stream, const Batch<PixelsJob>& batch);

}  // namespace sluice::device
