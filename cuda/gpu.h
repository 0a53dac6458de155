// GPUs: what this machine has, and how to get at one.
//
//   const std::shared_ptr<Device> device = gpu(0);
//   std::puts(to_string(look_for_gpus()).c_str());
//
// NVIDIA's, by CUDA. Sluice is built with it wherever nvcc is found; whether there is a driver and
// a GPU is asked when it runs, so that one program runs with and without.
//
// Ownership: a device is shared; gpu() gives the same one for as long as somebody has it. Threads:
// any. Errors: gpu() throws DeviceError, which says what is missing and what to do.
#pragma once

#include <sluice/runtime/device.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

struct Gpu {
  int index = 0;             // in the order of CUDA, counted from 0, of those that it may see
  std::string name;          // "NVIDIA H200"
  std::size_t bytes = 0;     // of its memory
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  std::string why_not;  // why it cannot be used; empty when it can
};

struct Gpus {
  std::vector<Gpu> gpus;
  // CUDA's versions, times 1000: 13000 is 13.0. 0 where there is none.
  int driver = 0;    // the newest that the driver knows
  int compiled = 0;  // what Sluice was built with
  // Why there is none, and what to do; empty when there are some.
  std::string why_none;
};
Gpus look_for_gpus();
// As lines of text.
std::string to_string(const Gpus& gpus);

// Throws DeviceError where there is no such GPU, or it cannot be used.
std::shared_ptr<Device> gpu(int index = 0);

}  // namespace sluice

namespace sluice::device {

// The operators that run on devices: their versions of those in ops/. Internal; they are there
// wherever cuda/gpu.h or cuda/host_device.h is included.
//
// Threads: any. Errors: none.

// Adds them at the first call. Gives true.
bool add_device_operators();
inline const bool device_operators_are_there = add_device_operators();

}  // namespace sluice::device
