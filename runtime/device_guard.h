// DeviceGuard: a job of a kernel that is done only if the device has chosen so. Plain data, for the
// host and for kernels.
//
// Ownership: none; the number lives in device memory until the launch is over.
#pragma once

#include <cstdint>

namespace sluice {

struct DeviceGuard {
  const std::int32_t* taken = nullptr;  // device memory: the arm that is taken; null: always done
  std::int32_t arm = 0;                 // done if it is this one
};

}  // namespace sluice
