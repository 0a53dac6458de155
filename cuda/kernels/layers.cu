#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/layers_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int layers_on_cuda(const void* batch, void* stream) {
  return launch_tiles<LayersJob, layers_tile>(batch, stream);
}

}  // namespace sluice::device
