#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/window_tile.h>

namespace sluice::device {

CudaLaunch window_on_cuda(const void* batch) {
  return tiles_on_cuda<WindowJob, window_tile>(batch);
}

CudaLaunch motion_on_cuda(const void* batch) {
  return tiles_on_cuda<WindowJob, motion_tile>(batch);
}

CudaLaunch median_on_cuda(const void* batch) {
  return tiles_on_cuda<WindowJob, median_tile>(batch);
}

}  // namespace sluice::device
