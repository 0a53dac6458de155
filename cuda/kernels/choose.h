// Choose kernel: selects branches by numbers computed from images, for many samples by one launch;
// see choose_tile.h.
//
// Ownership: none; sums, `arm` values and jobs belong to the caller and live until the launch is
// over. Threads: any. Errors: what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/choose_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

void launch_choose(DeviceStream& stream, const Batch<ChooseJob>& batch);

}  // namespace sluice::device
