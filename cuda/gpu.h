// GPUs: lists the GPUs of this machine and opens them as devices.
//
//   const std::shared_ptr<Device> device = gpu(0);
//   std::puts(to_string(look_for_gpus()).c_str());
//
// Only NVIDIA GPUs, through CUDA. Sluice is built with CUDA if nvcc is found. The driver and the
// GPU are looked for at run time, so one program runs with and without them.
//
// Ownership: a device is shared; gpu() returns the same one while anyone holds it. Threads: any.
// Errors: gpu() throws DeviceError, which says what is missing and what to do.
#pragma once

#include <sluice/runtime/device.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

struct Gpu {
  int index = 0;             // CUDA's number, counted from 0 among the GPUs that CUDA may see
  std::string name;          // "NVIDIA H200"
  std::size_t bytes = 0;     // of GPU memory
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  std::string why_not;  // why it cannot be used; empty when it can
};

struct Gpus {
  std::vector<Gpu> gpus;
  // CUDA versions times 1000: 13000 is 13.0. 0 if there is none.
  int driver = 0;    // the newest version that the driver supports
  int compiled = 0;  // the version that Sluice was built with
  // Why there are no GPUs, and what to do; empty if there are some.
  std::string why_none;
};
Gpus look_for_gpus();
// Returns the list as lines of text.
std::string to_string(const Gpus& gpus);

// Throws DeviceError if there is no such GPU, or if it cannot be used.
std::shared_ptr<Device> gpu(int index = 0);

}  // namespace sluice

namespace sluice::device {

// The device versions of the operators in ops/. Internal; available to any program that includes
// cuda/gpu.h or cuda/host_device.h.
//
// Threads: any. Errors: none.

// Adds them at the first call. Returns true.
bool add_device_operators();
inline const bool device_operators_are_there = add_device_operators();

}  // namespace sluice::device
