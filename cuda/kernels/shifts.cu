#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/shifts_tile.h>

namespace sluice::device {

int draw_shifts_on_cuda(const void* batch, void* stream) {
  return launch_tiles<ShiftsJob, draw_shifts_tile>(batch, stream);
}

int blur_shifts_across_on_cuda(const void* batch, void* stream) {
  return launch_tiles<ShiftsJob, blur_shifts_across_tile>(batch, stream);
}

int blur_shifts_down_on_cuda(const void* batch, void* stream) {
  return launch_tiles<ShiftsJob, blur_shifts_down_tile>(batch, stream);
}

}  // namespace sluice::device
