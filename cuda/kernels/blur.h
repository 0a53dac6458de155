// Blur kernels: gaussian_blur and box_blur, for many samples by two launches: along the columns,
// and along the rows.
//
//   BlurJob job = blur_job(in, out);
//   job.levels = ...;                            // device memory, see BlurJob
//   job.down = ...; job.across = ...;            // kernels::WindowSide, weights in device memory;
//                                                // or both box_side()
//   block.add(job);                              // see tiles.h
//   launch_blur(stream, block.on_device(address));
//
// The result equals that of the operators in ops/, bit for bit.
//
// Ownership: none; input, output, weights, levels and jobs belong to the caller and live until the
// launch is over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and
// what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/blur_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// Both images have the same size and the same 1 to 4 channels.
BlurJob blur_job(const PictureIn& in, const PictureOut& out);
// Returns a side of a box filter, which weights every pixel with 1.
BlurSide box_side(int window);
void launch_blur(DeviceStream& stream, const Batch<BlurJob>& batch);

}  // namespace sluice::device
