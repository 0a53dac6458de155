#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/window_tile.h>

namespace sluice::device {

int window_on_cuda(const void* batch, void* stream) {
  return launch_tiles<WindowJob, window_tile>(batch, stream);
}

int motion_on_cuda(const void* batch, void* stream) {
  return launch_tiles<WindowJob, motion_tile>(batch, stream);
}

int median_on_cuda(const void* batch, void* stream) {
  return launch_tiles<WindowJob, median_tile>(batch, stream);
}

}  // namespace sluice::device
