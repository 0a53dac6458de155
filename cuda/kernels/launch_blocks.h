// Launching a kernel for a batch: one block for each of so many pieces. For .cu files;
// nothing elsewhere.
//
// Errors: CUDA's codes, of this launch alone.
#pragma once

#if defined(__CUDACC__)

#include <sluice/cuda/kernels/tiles.h>

#include <cuda_runtime.h>

namespace sluice::device {

template <class Job>
int launch_blocks(void (*kernel)(Batch<Job>), int blocks, const void* batch, void* stream) {
  if (blocks == 0) return cudaSuccess;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(kBlockThreads);
  config.stream = static_cast<cudaStream_t>(stream);
  return cudaLaunchKernelEx(&config, kernel, *static_cast<const Batch<Job>*>(batch));
}

// Calls body(job, tile within the job) for this block's tile. The block looks at the job in memory
// of its own.
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

}  // namespace sluice::device

#endif  // __CUDACC__
