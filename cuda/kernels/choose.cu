#include <sluice/cuda/kernels/choose_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch choose_on_cuda(const void* batch) {
  return tiles_on_cuda<ChooseJob, choose_tile>(batch);
}

}  // namespace sluice::device
