// The CUDA versions of the kernels that work on pixel values and colors.
#include <sluice/cuda/kernels/colors_tile.h>
#include <sluice/cuda/kernels/histogram_tile.h>
#include <sluice/cuda/kernels/jpeg_distortion_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/reduce_tile.h>

namespace sluice::device {
namespace {

// One block for each sample.
__global__ void __launch_bounds__(kBlockThreads) luts(Batch<HistogramJob> batch) {
  __shared__ unsigned long long words[(sizeof(TablesMemory) + 7) / 8];
  make_luts(batch.jobs[blockIdx.x], this_thread_block(), reinterpret_cast<TablesMemory&>(words));
}

__global__ void __launch_bounds__(kBlockThreads) reduce_tiles(Batch<ReduceJob> batch) {
  __shared__ unsigned int parts[kBlockThreads * sizeof(ReducePart) / sizeof(unsigned int)];
  for_this_tile(batch, [&](const ReduceJob& job, int tile) {
    reduce_tile(job, tile, this_thread_block(), reinterpret_cast<ReducePart*>(parts));
  });
}

}  // namespace

CudaLaunch choose_on_cuda(const void* batch) {
  return tiles_on_cuda<ChooseJob, choose_tile>(batch);
}

CudaLaunch clahe_tables_on_cuda(const void* batch) {
  return tiles_on_cuda<ClaheTablesJob, std::uint32_t, 256, clahe_table_tile>(batch);
}

CudaLaunch clahe_on_cuda(const void* batch) { return tiles_on_cuda<ClaheJob, clahe_tile>(batch); }

CudaLaunch colors_on_cuda(const void* batch) {
  return tiles_on_cuda<ColorJob, std::uint8_t, kLuts, colors_tile>(batch);
}

CudaLaunch histograms_on_cuda(const void* batch) {
  return tiles_on_cuda<HistogramJob, std::uint32_t, kHistogram, histogram_tile>(batch);
}

CudaLaunch luts_on_cuda(const void* batch) {
  const int count = static_cast<const Batch<HistogramJob>*>(batch)->count;
  return blocks_on_cuda(luts, count);
}

CudaLaunch jpeg_distortion_blocks_on_cuda(const void* batch) {
  return tiles_on_cuda<JpegBlocksJob, jpeg_blocks_tile>(batch);
}

CudaLaunch jpeg_distortion_pixels_on_cuda(const void* batch) {
  return tiles_on_cuda<JpegPixelsJob, jpeg_pixels_tile>(batch);
}

CudaLaunch reduce_on_cuda(const void* batch) {
  return blocks_on_cuda(reduce_tiles, static_cast<const Batch<ReduceJob>*>(batch)->tiles);
}

}  // namespace sluice::device
