#include <sluice/cuda/kernels/choose_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int choose_on_cuda(const void* batch, void* stream) {
  return launch_tiles<ChooseJob, choose_tile>(batch, stream);
}

}  // namespace sluice::device
