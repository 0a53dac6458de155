// Morphology kernels: dilate and erode, for many samples by two launches: along the rows, and along
// the columns.
//
//   MorphologyJob job = morphology_job(in, out, kernels::MorphologyWindow{3, 5}, true);
//   job.between = ...;                           // device memory, see MorphologyJob
//   block.add(job);                              // see tiles.h
//   launch_morphology(stream, block.on_device(address));
//
// The result equals that of the operators in ops/.
//
// Ownership: none; input, output, memory and jobs belong to the caller and live until the launch is
// over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/morphology_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/morphology.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// Both images have the same size and the same 1 to 4 channels. The caller has checked the window.
MorphologyJob morphology_job(const PictureIn& in, const PictureOut& out,
                             const kernels::MorphologyWindow& window, bool largest);
void launch_morphology(DeviceStream& stream, const Batch<MorphologyJob>& batch);

}  // namespace sluice::device
