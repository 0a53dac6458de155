// The CUDA versions of the kernels that move pixels, or combine images.
#include <sluice/cuda/kernels/blend_tile.h>
#include <sluice/cuda/kernels/copy_pixels_tile.h>
#include <sluice/cuda/kernels/fill_rects_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/remap_tile.h>
#include <sluice/cuda/kernels/resize_tile.h>
#include <sluice/cuda/kernels/warp_tile.h>

namespace sluice::device {
namespace {

// Two blocks for each sample, one for each axis.
__global__ void __launch_bounds__(kBlockThreads) resize_tables(Batch<ResizeJob> batch) {
  __shared__ double largest[kBlockThreads];
  const ResizeJob& job = batch.jobs[blockIdx.x / 2];
  make_resize_table(blockIdx.x % 2 == 0 ? job.columns : job.rows, job.filter, this_thread_block(),
                    largest);
}

__global__ void __launch_bounds__(kBlockThreads) resize_tiles(Batch<ResizeJob> batch) {
  __shared__ ResizeMemory memory;
  for_this_tile(batch, [&](const ResizeJob& job, int tile) {
    resize_tile(job, tile, this_thread_block(), memory);
  });
}

}  // namespace

CudaLaunch fill_rects_on_cuda(const void* batch) {
  return tiles_on_cuda<FillRectsJob, fill_rects_tile>(batch);
}

CudaLaunch blend_on_cuda(const void* batch) { return tiles_on_cuda<BlendJob, blend_tile>(batch); }

CudaLaunch copy_pixels_on_cuda(const void* batch) {
  return tiles_on_cuda<CopyPixelsJob, std::uint8_t, 256, copy_pixels_tile>(batch);
}

CudaLaunch zoom_blur_on_cuda(const void* batch) {
  return tiles_on_cuda<ZoomBlurJob, zoom_blur_tile>(batch);
}

CudaLaunch remap_on_cuda(const void* batch) { return tiles_on_cuda<RemapJob, remap_tile>(batch); }

CudaLaunch resize_tables_on_cuda(const void* batch) {
  const int count = static_cast<const Batch<ResizeJob>*>(batch)->count;
  return blocks_on_cuda(resize_tables, 2 * count);
}

CudaLaunch resize_tiles_on_cuda(const void* batch) {
  return blocks_on_cuda(resize_tiles, static_cast<const Batch<ResizeJob>*>(batch)->tiles);
}

CudaLaunch draw_displacement_on_cuda(const void* batch) {
  return tiles_on_cuda<DisplacementJob, draw_displacement_tile>(batch);
}

CudaLaunch blur_displacement_across_on_cuda(const void* batch) {
  return tiles_on_cuda<DisplacementJob, blur_displacement_across_tile>(batch);
}

CudaLaunch blur_displacement_down_on_cuda(const void* batch) {
  return tiles_on_cuda<DisplacementJob, blur_displacement_down_tile>(batch);
}

CudaLaunch warp_on_cuda(const void* batch) {
  return tiles_on_cuda<WarpJob, std::uint8_t, 256, warp_tile>(batch);
}

}  // namespace sluice::device
