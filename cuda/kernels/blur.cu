#include <sluice/cuda/kernels/blur_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch blur_down_on_cuda(const void* batch) {
  return tiles_on_cuda<BlurJob, blur_down_tile>(batch);
}

CudaLaunch blur_across_on_cuda(const void* batch) {
  return tiles_on_cuda<BlurJob, blur_across_tile>(batch);
}

}  // namespace sluice::device
