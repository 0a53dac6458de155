// The operators that run on devices: their versions of those in ops/. Internal; they are there
// wherever cuda/gpu.h or cuda/host_device.h is included.
//
// Threads: any. Errors: none.
#pragma once

namespace sluice::device {

// Once; true.
bool add_device_operators();
inline const bool device_operators_are_there = add_device_operators();

}  // namespace sluice::device
