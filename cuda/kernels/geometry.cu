// The CUDA versions of the kernels that move pixels, or combine images.
#include <sluice/cuda/kernels/cover_tile.h>
#include <sluice/cuda/kernels/layers_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/pixels_tile.h>
#include <sluice/cuda/kernels/places_tile.h>
#include <sluice/cuda/kernels/resize_tile.h>
#include <sluice/cuda/kernels/warp_tile.h>

namespace sluice::device {
namespace {

// Two blocks for each sample, one for each axis.
__global__ void __launch_bounds__(kBlockThreads) resize_tables(Batch<ResizeJob> batch) {
  __shared__ double largest[kBlockThreads];
  const ResizeJob& job = batch.jobs[blockIdx.x / 2];
  make_resize_table(blockIdx.x % 2 == 0 ? job.columns : job.rows, job.filter, this_team(), largest);
}

__global__ void __launch_bounds__(kBlockThreads) resize_tiles(Batch<ResizeJob> batch) {
  __shared__ ResizeMemory memory;
  for_this_tile(
      batch, [&](const ResizeJob& job, int tile) { resize_tile(job, tile, this_team(), memory); });
}

}  // namespace

CudaLaunch cover_on_cuda(const void* batch) { return tiles_on_cuda<CoverJob, cover_tile>(batch); }

CudaLaunch layers_on_cuda(const void* batch) {
  return tiles_on_cuda<LayersJob, layers_tile>(batch);
}

CudaLaunch pixels_on_cuda(const void* batch) {
  return tiles_on_cuda<PixelsJob, std::uint8_t, 256, pixels_tile>(batch);
}

CudaLaunch places_on_cuda(const void* batch) {
  return tiles_on_cuda<PlacesJob, places_tile>(batch);
}

CudaLaunch resize_tables_on_cuda(const void* batch) {
  const int count = static_cast<const Batch<ResizeJob>*>(batch)->count;
  return blocks_on_cuda(resize_tables, 2 * count);
}

CudaLaunch resize_tiles_on_cuda(const void* batch) {
  return blocks_on_cuda(resize_tiles, static_cast<const Batch<ResizeJob>*>(batch)->tiles);
}

CudaLaunch draw_shifts_on_cuda(const void* batch) {
  return tiles_on_cuda<ShiftsJob, draw_shifts_tile>(batch);
}

CudaLaunch blur_shifts_across_on_cuda(const void* batch) {
  return tiles_on_cuda<ShiftsJob, blur_shifts_across_tile>(batch);
}

CudaLaunch blur_shifts_down_on_cuda(const void* batch) {
  return tiles_on_cuda<ShiftsJob, blur_shifts_down_tile>(batch);
}

CudaLaunch warp_on_cuda(const void* batch) {
  return tiles_on_cuda<WarpJob, std::uint8_t, 256, warp_tile>(batch);
}

}  // namespace sluice::device
