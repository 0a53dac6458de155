// resize on a device: pictures, or parts of them, in another size, for many samples by one call.
// With the out that pixels_out.h makes it is resize, resize + flip, and resize_mirror_normalize.
//
//   ResizeJob job = resize_job(375, 500, {0, 0, 375, 500}, Interpolation::bilinear, mirror,
//                              normalized_out(224, 224, 3, params));
//   bytes += resize_scratch(job);  // of device memory, for the length of the launch
//   place_resize(job, in, in_stride, out, scratch);  // device addresses
//   block.add(job);                                  // see tiles.h
//   launch_resize(stream, block.on_device(address));
//
// Gives what the kernels of the same names in ops/ give, bit for bit; hamming and lanczos by at
// most 1 of 255 different on a GPU, whose sines are not those of the host.
//
// Ownership: none; input, output, scratch and jobs belong to the caller and live until the launch
// is over. Threads: any. Errors: std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/resize_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/device.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// `box` must not be empty nor reach beyond the picture. `out` has the size and the channels.
ResizeJob resize_job(int in_height, int in_width, const kernels::Box& box,
                     const kernels::ResizeFilter& filter, bool mirror, const PixelsOut& out);
// Bytes of device memory, a multiple of 16.
std::size_t resize_scratch(const ResizeJob& job);
// `in_stride`: bytes from a row to the next, at least those of a row. `scratch` is aligned to 16.
void place_resize(ResizeJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out,
                  void* scratch);
void launch_resize(DeviceStream& stream, const Batch<ResizeJob>& batch);

}  // namespace sluice::device
