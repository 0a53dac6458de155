// Resize kernels: resize images, or parts of them, for many samples by one call. Depending on its
// PixelsOut (pixels_out.h), a job is resize, resize + flip, or resize_mirror_normalize.
//
//   ResizeJob job = resize_job(375, 500, {0, 0, 375, 500}, Interpolation::bilinear, mirror,
//                              normalized_out(224, 224, 3, params));
//   bytes += resize_scratch(job);  // device memory, until the launch is over
//   place_resize(job, in, in_stride, out, scratch);  // device addresses
//   block.add(job);                                  // see tiles.h
//   launch_resize(stream, block.on_device(address));
//
// The result equals that of the kernels of the same names in ops/, bit for bit. With hamming and
// lanczos it may differ by 1 of 255 on a GPU, whose sines differ from the host's.
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

// `box` must not be empty, and must lie inside the image. `out` defines the size and the channels.
ResizeJob resize_job(int in_height, int in_width, const kernels::Box& box,
                     const kernels::ResizeFilter& filter, bool mirror, const PixelsOut& out);
// Returns the bytes of device memory that the job needs, a multiple of 16.
std::size_t resize_scratch(const ResizeJob& job);
// `in_stride`: bytes from row to row, at least those of a row. `scratch` is aligned to 16.
void place_resize(ResizeJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out,
                  void* scratch);
void launch_resize(DeviceStream& stream, const Batch<ResizeJob>& batch);

}  // namespace sluice::device
