// DeviceGuard: makes a kernel's job depend on the branch that the device has chosen. Plain data,
// for the host and for kernels.
//
// Ownership: none; the number of the branch stays in device memory until the launch is over.
#pragma once

#include <cstdint>

namespace sluice {

struct DeviceGuard {
  const std::int32_t* taken = nullptr;  // device memory: the branch taken; null: always run
  std::int32_t arm = 0;                 // run if this branch is taken
};

}  // namespace sluice
