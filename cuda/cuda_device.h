// CudaDevice: a Device (runtime/device.h) that is a GPU of NVIDIA's. Internal to cuda/; there only
// where CUDA is compiled.
//
// Streams do not wait for CUDA's default stream. An error that work on the GPU meets is told by the
// next event that is asked; CUDA then refuses everything that this process asks of the GPU, so the
// device is lost. Memory is the system's: slow to get and to give back, for pools to keep.
//
// Threads: as Device says. The calling thread's current device is what it was before. Errors:
// DeviceError with CUDA's words; std::bad_alloc where there is no memory.
#pragma once

#include <sluice/cuda/gpu.h>

#include <memory>

namespace sluice::device {

Gpus look_for_cuda_devices();
// The index must be one of those, and usable.
std::shared_ptr<Device> make_cuda_device(const Gpu& gpu);

}  // namespace sluice::device
