// Window kernels: sharpness with filter_2d, motion_blur, and median_blur: three kernels, each for
// many samples by one launch.
//
//   WindowJob job = sharpness_job(in, out, kernels::sharpness_factor(1.5f));
//   block.add(job);                              // see tiles.h
//   launch_window(stream, block.on_device(address));
//
// The result equals that of the operators in ops/: for sharpness and median_blur bit for bit, for
// the others if the host rounds products and sums one by one.
//
// Ownership: none; input, output, steps and jobs belong to the caller and live until the launch is
// over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/tiles.h>
#include <sluice/cuda/kernels/window_tile.h>
#include <sluice/ops/kernels/filter_2d.h>
#include <sluice/ops/kernels/sharpness.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// Both images have the same size and the same 1 to 4 channels.
WindowJob sharpness_job(const PictureIn& in, const PictureOut& out, kernels::FixedFactor factor);
WindowJob filter_job(const PictureIn& in, const PictureOut& out,
                     const kernels::FilterWeights& filter);
void launch_window(DeviceStream& stream, const Batch<WindowJob>& batch);

// For separate launches. `steps`: in device memory, `count` of them.
WindowJob motion_job(const PictureIn& in, const PictureOut& out, const WindowStep* steps,
                     int count);
void launch_motion(DeviceStream& stream, const Batch<WindowJob>& batch);
// `window_size`: 3 or 5.
WindowJob median_job(const PictureIn& in, const PictureOut& out, int window_size);
void launch_median(DeviceStream& stream, const Batch<WindowJob>& batch);

}  // namespace sluice::device
