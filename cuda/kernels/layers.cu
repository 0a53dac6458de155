#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/layers_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch layers_on_cuda(const void* batch) {
  return tiles_on_cuda<LayersJob, layers_tile>(batch);
}

}  // namespace sluice::device
