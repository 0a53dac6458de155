// Launches kernels for a batch, with one block for each tile. For .cu files; empty elsewhere.
#pragma once

#if defined(__CUDACC__)

#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

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

__device__ inline Team this_team() { return {static_cast<int>(threadIdx.x)}; }

// Kernels that do each tile by itself, perhaps with memory that the team shares: see
// tiles_on_host().
template <class Job, void (*kTile)(const Job&, int, const Team&)>
__global__ void __launch_bounds__(kBlockThreads) each_tile(Batch<Job> batch) {
  for_this_tile(batch, [](const Job& job, int tile) { kTile(job, tile, this_team()); });
}
template <class Job, class T, int kCount, void (*kTile)(const Job&, int, const Team&, T*)>
__global__ void __launch_bounds__(kBlockThreads) each_tile_with_memory(Batch<Job> batch) {
  __shared__ T memory[kCount];
  for_this_tile(batch, [&](const Job& job, int tile) { kTile(job, tile, this_team(), memory); });
}

// The CUDA versions of kernels: one block for each tile of `batch`, a Batch<Job>.
template <class Job, void (*kTile)(const Job&, int, const Team&)>
CudaLaunch tiles_on_cuda(const void* batch) {
  return blocks_on_cuda(each_tile<Job, kTile>, static_cast<const Batch<Job>*>(batch)->tiles);
}
template <class Job, class T, int kCount, void (*kTile)(const Job&, int, const Team&, T*)>
CudaLaunch tiles_on_cuda(const void* batch) {
  return blocks_on_cuda(each_tile_with_memory<Job, T, kCount, kTile>,
                        static_cast<const Batch<Job>*>(batch)->tiles);
}

}  // namespace sluice::device

#endif  // __CUDACC__
