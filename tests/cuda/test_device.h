// The device that tests of cuda/ run on. It is the stand-in on the host's threads, or, if
// SLUICE_TEST_DEVICE is set, the GPU of that number.
#pragma once

#include <sluice/cuda/gpu.h>
#include <sluice/cuda/host_device.h>

#include <cstdlib>
#include <memory>

namespace sluice::device {

// True if the tests run on a GPU.
inline bool on_gpu() { return std::getenv("SLUICE_TEST_DEVICE") != nullptr; }

inline std::shared_ptr<Device> test_device() {
  const char* const index = std::getenv("SLUICE_TEST_DEVICE");
  if (index != nullptr) return gpu(std::atoi(index));
  return std::make_shared<HostDevice>();
}

}  // namespace sluice::device
