// Kernels that need no neighbours, for many samples by one launch, each sample with what is to be
// done to it: crop, flip, quarter turns, copies between any strides and layouts, casts, tables of
// levels, brightness and contrast, normalising; and any of them together.
//
//   PixelsIn in = hwc_pixels(3, stride);
//   in = cropped(in, {y, x, height, width});
//   in = mirrored(in, width);                                   // as wanted
//   PixelsJob job = pixels_job(in, normalized_out(height, width, 3, params));
//   place_pixels(job, in_address, out_address);
//   block.add(job);                                             // see tiles.h
//   launch_pixels(stream, block.on_device(address));
//
// Gives what crop, flip, brightness_contrast, crop_mirror_normalize of ops/ give, bit for bit. A
// number that becomes a level is rounded to nearest, halves to even, and cut off at 0 and 255; f32
// becomes f16 as in Half (what is no number may have other bits on a GPU).
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

// Channels interleaved; `row` in numbers.
PixelsIn hwc_pixels(int channels, std::int64_t row, DType dtype = DType::u8);
// Densely packed planes.
PixelsIn chw_pixels(int height, int width, DType dtype = DType::u8);

// The same pixels, seen in another way; sizes are those of what is given.
PixelsIn cropped(PixelsIn in, const Rectangle& region);
PixelsIn mirrored(PixelsIn in, int width);
PixelsIn upside_down(PixelsIn in, int height);
PixelsIn transposed(PixelsIn in);
PixelsIn turned_left(PixelsIn in, int width);  // a quarter turn, counter-clockwise
PixelsIn turned_right(PixelsIn in, int height);

// As many pixels and channels as `out` has.
PixelsJob pixels_job(const PixelsIn& in, const PixelsOut& out);
// Rows of bytes from one place to another, as pictures of one channel.
PixelsJob copy_job(int rows, int bytes, std::int64_t in_stride, std::int64_t out_stride);
void place_pixels(PixelsJob& job, const void* in, void* out);
void launch_pixels(DeviceStream& stream, const Batch<PixelsJob>& batch);

}  // namespace sluice::device
