// gaussian_blur and box_blur, for many samples by two launches: along the columns, and along the
// rows.
//
//   BlurJob job = blur_job(in, out);
//   job.levels = ...;                            // device memory, see there
//   job.down = ...; job.across = ...;            // kernels::WindowSide, weights in device memory;
//                                                // or both box_side()
//   block.add(job);                              // see tiles.h
//   launch_blur(stream, block.on_device(address));
//
// Gives what the operators of ops/ give, bit for bit.
//
// Ownership: none; input, output, weights, levels and jobs belong to the caller and live until the
// launch is over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and
// what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/blur_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// Pictures of one size and as many channels, 1 to 4.
BlurJob blur_job(const PictureIn& in, const PictureOut& out);
// Of a box, whose levels count 1 each.
BlurSide box_side(int window);
void launch_blur(DeviceStream& stream, const Batch<BlurJob>& batch);

}  // namespace sluice::device
