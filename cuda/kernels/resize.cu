#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/resize_tile.h>

namespace sluice::device {
namespace {

// Two blocks for each sample: one for each axis.
__global__ void __launch_bounds__(kBlockThreads) tables(Batch<ResizeJob> batch) {
  __shared__ double largest[kBlockThreads];
  const ResizeJob& job = batch.jobs[blockIdx.x / 2];
  make_resize_table(blockIdx.x % 2 == 0 ? job.columns : job.rows, job.filter, this_team(), largest);
}

__global__ void __launch_bounds__(kBlockThreads) tiles(Batch<ResizeJob> batch) {
  __shared__ ResizeMemory memory;
  for_this_tile(
      batch, [&](const ResizeJob& job, int tile) { resize_tile(job, tile, this_team(), memory); });
}

}  // namespace

CudaLaunch resize_tables_on_cuda(const void* batch) {
  const int count = static_cast<const Batch<ResizeJob>*>(batch)->count;
  return blocks_on_cuda(tables, 2 * count);
}

CudaLaunch resize_tiles_on_cuda(const void* batch) {
  return blocks_on_cuda(tiles, static_cast<const Batch<ResizeJob>*>(batch)->tiles);
}

}  // namespace sluice::device
