#include <sluice/cuda/kernels/histogram_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

// A block for each sample.
__global__ void __launch_bounds__(kBlockThreads) tables(Batch<HistogramJob> batch) {
  __shared__ unsigned long long words[(sizeof(TablesMemory) + 7) / 8];
  make_level_tables(batch.jobs[blockIdx.x], this_team(), reinterpret_cast<TablesMemory&>(words));
}

}  // namespace

CudaLaunch histograms_on_cuda(const void* batch) {
  return tiles_on_cuda<HistogramJob, std::uint32_t, kHistogram, histogram_tile>(batch);
}

CudaLaunch level_tables_on_cuda(const void* batch) {
  const int count = static_cast<const Batch<HistogramJob>*>(batch)->count;
  return blocks_on_cuda(tables, count);
}

}  // namespace sluice::device
