#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/shifts_tile.h>

namespace sluice::device {

CudaLaunch draw_shifts_on_cuda(const void* batch) {
  return tiles_on_cuda<ShiftsJob, draw_shifts_tile>(batch);
}

CudaLaunch blur_shifts_across_on_cuda(const void* batch) {
  return tiles_on_cuda<ShiftsJob, blur_shifts_across_tile>(batch);
}

CudaLaunch blur_shifts_down_on_cuda(const void* batch) {
  return tiles_on_cuda<ShiftsJob, blur_shifts_down_tile>(batch);
}

}  // namespace sluice::device
