// The device that tests of cuda/ run on: the stand-in on the host's threads, or, where
// SLUICE_TEST_DEVICE has the number of one, a GPU.
#pragma once

#include <sluice/cuda/gpu.h>
#include <sluice/cuda/host_device.h>

#include <cstdlib>
#include <memory>

namespace sluice::device {

// Whether tests run on a GPU.
inline bool on_gpu() { return std::getenv("SLUICE_TEST_DEVICE") != nullptr; }

inline std::shared_ptr<Device> test_device() {
  const char* const index = std::getenv("SLUICE_TEST_DEVICE");
  if (index != nullptr) return gpu(std::atoi(index));
  return std::make_shared<HostDevice>();
}

}  // namespace sluice::device
