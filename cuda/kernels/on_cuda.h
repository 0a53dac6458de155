// The halves of the kernels that nvcc compiles, for the tables of kernels: each is given a Batch of
// the jobs that its name says and a cudaStream_t, and gives CUDA's error code. Internal.
#pragma once

#include <sluice/runtime/device.h>

#include <cstddef>
#include <span>

namespace sluice::device {

int blur_down_on_cuda(const void* batch, void* stream);
int blur_across_on_cuda(const void* batch, void* stream);
int clahe_tables_on_cuda(const void* batch, void* stream);
int clahe_on_cuda(const void* batch, void* stream);
int choose_on_cuda(const void* batch, void* stream);
int colours_on_cuda(const void* batch, void* stream);
int cover_on_cuda(const void* batch, void* stream);
int gaussian_noise_on_cuda(const void* batch, void* stream);
int salt_and_pepper_on_cuda(const void* batch, void* stream);
int shot_noise_on_cuda(const void* batch, void* stream);
int poisson_on_cuda(const void* batch, void* stream);
int jitter_on_cuda(const void* batch, void* stream);
int histograms_on_cuda(const void* batch, void* stream);
int level_tables_on_cuda(const void* batch, void* stream);
int resize_tables_on_cuda(const void* batch, void* stream);
int resize_tiles_on_cuda(const void* batch, void* stream);
int jpeg_distortion_blocks_on_cuda(const void* batch, void* stream);
int jpeg_distortion_pixels_on_cuda(const void* batch, void* stream);
int layers_on_cuda(const void* batch, void* stream);
int median_on_cuda(const void* batch, void* stream);
int motion_on_cuda(const void* batch, void* stream);
int morphology_across_on_cuda(const void* batch, void* stream);
int morphology_down_on_cuda(const void* batch, void* stream);
int places_on_cuda(const void* batch, void* stream);
int pixels_on_cuda(const void* batch, void* stream);
int draw_shifts_on_cuda(const void* batch, void* stream);
int blur_shifts_across_on_cuda(const void* batch, void* stream);
int blur_shifts_down_on_cuda(const void* batch, void* stream);
int warp_on_cuda(const void* batch, void* stream);
int reduce_on_cuda(const void* batch, void* stream);
int window_on_cuda(const void* batch, void* stream);

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
