#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/reduce_tile.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) tiles(Batch<ReduceJob> batch) {
  __shared__ unsigned int parts[kBlockThreads * sizeof(ReducePart) / sizeof(unsigned int)];
  for_this_tile(batch, [&](const ReduceJob& job, int tile) {
    reduce_tile(job, tile, this_team(), reinterpret_cast<ReducePart*>(parts));
  });
}

}  // namespace

CudaLaunch reduce_on_cuda(const void* batch) {
  return blocks_on_cuda(tiles, static_cast<const Batch<ReduceJob>*>(batch)->tiles);
}

}  // namespace sluice::device
