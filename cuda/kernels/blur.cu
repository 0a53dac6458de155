#include <sluice/cuda/kernels/blur_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int blur_down_on_cuda(const void* batch, void* stream) {
  return launch_tiles<BlurJob, blur_down_tile>(batch, stream);
}

int blur_across_on_cuda(const void* batch, void* stream) {
  return launch_tiles<BlurJob, blur_across_tile>(batch, stream);
}

}  // namespace sluice::device
