// Declares the CUDA versions of the kernels, which nvcc compiles, for the Kernel objects. Each
// takes a Batch of the jobs in its name. Internal.
#pragma once

#include <sluice/runtime/device.h>

#include <cstddef>
#include <span>

namespace sluice::device {

CudaLaunch blur_down_on_cuda(const void* batch);
CudaLaunch blur_across_on_cuda(const void* batch);
CudaLaunch clahe_tables_on_cuda(const void* batch);
CudaLaunch clahe_on_cuda(const void* batch);
CudaLaunch choose_on_cuda(const void* batch);
CudaLaunch colours_on_cuda(const void* batch);
CudaLaunch cover_on_cuda(const void* batch);
CudaLaunch gaussian_noise_on_cuda(const void* batch);
CudaLaunch salt_and_pepper_on_cuda(const void* batch);
CudaLaunch shot_noise_on_cuda(const void* batch);
CudaLaunch poisson_on_cuda(const void* batch);
CudaLaunch jitter_on_cuda(const void* batch);
CudaLaunch histograms_on_cuda(const void* batch);
CudaLaunch level_tables_on_cuda(const void* batch);
CudaLaunch resize_tables_on_cuda(const void* batch);
CudaLaunch resize_tiles_on_cuda(const void* batch);
CudaLaunch jpeg_distortion_blocks_on_cuda(const void* batch);
CudaLaunch jpeg_distortion_pixels_on_cuda(const void* batch);
CudaLaunch layers_on_cuda(const void* batch);
CudaLaunch median_on_cuda(const void* batch);
CudaLaunch motion_on_cuda(const void* batch);
CudaLaunch morphology_across_on_cuda(const void* batch);
CudaLaunch morphology_down_on_cuda(const void* batch);
CudaLaunch places_on_cuda(const void* batch);
CudaLaunch pixels_on_cuda(const void* batch);
CudaLaunch draw_shifts_on_cuda(const void* batch);
CudaLaunch blur_shifts_across_on_cuda(const void* batch);
CudaLaunch blur_shifts_down_on_cuda(const void* batch);
CudaLaunch warp_on_cuda(const void* batch);
CudaLaunch reduce_on_cuda(const void* batch);
CudaLaunch window_on_cuda(const void* batch);

#if defined(SLUICE_HAS_CUDA)
#define SLUICE_ON_CUDA(function) function
#else
#define SLUICE_ON_CUDA(function) nullptr
#endif

template <class Batch>
void launch_batch(DeviceStream& stream, const Kernel& kernel, const Batch& batch) {
  stream.launch(kernel, std::as_bytes(std::span(&batch, 1)));
}

}  // namespace sluice::device
