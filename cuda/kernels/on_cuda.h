// The CUDA versions of the kernels: their declarations, for the Kernel objects, and the templates
// with which .cu files define them. One block of threads does one tile of a batch. Each version
// takes a Batch of the jobs in its name. Internal.
#pragma once

#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

#include <cstddef>
#include <span>

namespace sluice::device {

CudaLaunch blur_down_on_cuda(const void* batch);
CudaLaunch blur_across_on_cuda(const void* batch);
CudaLaunch clahe_tables_on_cuda(const void* batch);
CudaLaunch clahe_on_cuda(const void* batch);
CudaLaunch choose_on_cuda(const void* batch);
CudaLaunch colors_on_cuda(const void* batch);
CudaLaunch fill_rects_on_cuda(const void* batch);
CudaLaunch gaussian_noise_on_cuda(const void* batch);
CudaLaunch iso_sums_on_cuda(const void* batch);
CudaLaunch iso_counts_on_cuda(const void* batch);
CudaLaunch iso_noise_on_cuda(const void* batch);
CudaLaunch salt_and_pepper_on_cuda(const void* batch);
CudaLaunch shot_noise_on_cuda(const void* batch);
CudaLaunch poisson_on_cuda(const void* batch);
CudaLaunch jitter_on_cuda(const void* batch);
CudaLaunch histograms_on_cuda(const void* batch);
CudaLaunch luts_on_cuda(const void* batch);
CudaLaunch resize_tables_on_cuda(const void* batch);
CudaLaunch resize_tiles_on_cuda(const void* batch);
CudaLaunch jpeg_distortion_blocks_on_cuda(const void* batch);
CudaLaunch jpeg_distortion_pixels_on_cuda(const void* batch);
CudaLaunch blend_on_cuda(const void* batch);
CudaLaunch median_on_cuda(const void* batch);
CudaLaunch motion_on_cuda(const void* batch);
CudaLaunch morphology_across_on_cuda(const void* batch);
CudaLaunch morphology_down_on_cuda(const void* batch);
CudaLaunch remap_on_cuda(const void* batch);
CudaLaunch copy_pixels_on_cuda(const void* batch);
CudaLaunch draw_displacement_on_cuda(const void* batch);
CudaLaunch blur_displacement_across_on_cuda(const void* batch);
CudaLaunch blur_displacement_down_on_cuda(const void* batch);
CudaLaunch warp_on_cuda(const void* batch);
CudaLaunch zoom_blur_on_cuda(const void* batch);
CudaLaunch reduce_on_cuda(const void* batch);
CudaLaunch filter_2d_on_cuda(const void* batch);
CudaLaunch move_on_cuda(const void* batch);
CudaLaunch resample_on_cuda(const void* batch);
CudaLaunch rotate_tensor_on_cuda(const void* batch);
CudaLaunch normalize_tensor_on_cuda(const void* batch);
CudaLaunch elementwise_on_cuda(const void* batch);

#if defined(SLUICE_HAS_CUDA)
#define SLUICE_ON_CUDA(function) function
#else
#define SLUICE_ON_CUDA(function) nullptr
#endif

// Launches nothing for a batch without tiles.
template <class Batch>
void launch_batch(DeviceStream& stream, const Kernel& kernel, const Batch& batch) {
  if (batch.tiles == 0) return;
  stream.launch(kernel, std::as_bytes(std::span(&batch, 1)));
}

#if defined(__CUDACC__)

// Returns a launch of `blocks` blocks.
template <class Job>
CudaLaunch blocks_on_cuda(void (*kernel)(Batch<Job>), int blocks) {
  return {reinterpret_cast<const void*>(kernel), static_cast<unsigned>(blocks), kBlockThreads};
}

// Calls body(job, tile within the job) for this block's tile. The job is a copy in the block's
// shared memory.
template <class Job, class Body>
__device__ void for_this_tile(const Batch<Job>& batch, const Body& body) {
  static_assert(sizeof(Job) % sizeof(int) == 0 && sizeof(Job) / sizeof(int) <= kBlockThreads);
  alignas(16) __shared__ int words[sizeof(Job) / sizeof(int)];
  const int tile = static_cast<int>(blockIdx.x);
  const int job = job_of_tile(batch.first_tiles, batch.count, tile);
  if (!is_done(batch, job)) return;
  if (threadIdx.x < sizeof(Job) / sizeof(int))
    words[threadIdx.x] = reinterpret_cast<const int*>(batch.jobs + job)[threadIdx.x];
  __syncthreads();
  body(reinterpret_cast<const Job&>(words), tile - batch.first_tiles[job]);
}

__device__ inline ThreadBlock this_thread_block() { return {static_cast<int>(threadIdx.x)}; }

// Kernels that do each tile by itself, perhaps with memory that the thread block shares: see
// tiles_on_host().
template <class Job, void (*kTile)(const Job&, int, const ThreadBlock&)>
__global__ void __launch_bounds__(kBlockThreads) each_tile(Batch<Job> batch) {
  for_this_tile(batch, [](const Job& job, int tile) { kTile(job, tile, this_thread_block()); });
}
template <class Job, class T, int kCount, void (*kTile)(const Job&, int, const ThreadBlock&, T*)>
__global__ void __launch_bounds__(kBlockThreads) each_tile_with_memory(Batch<Job> batch) {
  __shared__ T memory[kCount];
  for_this_tile(batch,
                [&](const Job& job, int tile) { kTile(job, tile, this_thread_block(), memory); });
}

// The CUDA versions of kernels: one block for each tile of `batch`, a Batch<Job>.
template <class Job, void (*kTile)(const Job&, int, const ThreadBlock&)>
CudaLaunch tiles_on_cuda(const void* batch) {
  return blocks_on_cuda(each_tile<Job, kTile>, static_cast<const Batch<Job>*>(batch)->tiles);
}
template <class Job, class T, int kCount, void (*kTile)(const Job&, int, const ThreadBlock&, T*)>
CudaLaunch tiles_on_cuda(const void* batch) {
  return blocks_on_cuda(each_tile_with_memory<Job, T, kCount, kTile>,
                        static_cast<const Batch<Job>*>(batch)->tiles);
}

#endif  // __CUDACC__

}  // namespace sluice::device
