// CudaDevice: a Device (runtime/device.h) that is an NVIDIA GPU. Internal to cuda/; available only
// if CUDA is compiled.
//
// Streams do not wait for CUDA's default stream. An error of work on the GPU is reported by the
// next event that is queried. CUDA then rejects all further calls of this process, so the device is
// lost. Memory comes directly from the system: allocating and freeing it is slow, so pools should
// keep it.
//
// Threads: as Device says. Calls restore the calling thread's current device. Errors: DeviceError
// with CUDA's message; std::bad_alloc if there is no memory.
#pragma once

#include <sluice/cuda/gpu.h>

#include <memory>

namespace sluice::device {

Gpus look_for_cuda_devices();
// `gpu` must be one of those returned above, and usable.
std::shared_ptr<Device> make_cuda_device(const Gpu& gpu);

}  // namespace sluice::device
