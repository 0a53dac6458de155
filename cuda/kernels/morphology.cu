#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/morphology_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch morphology_across_on_cuda(const void* batch) {
  return tiles_on_cuda<MorphologyJob, morphology_across_tile>(batch);
}

CudaLaunch morphology_down_on_cuda(const void* batch) {
  return tiles_on_cuda<MorphologyJob, morphology_down_tile>(batch);
}

}  // namespace sluice::device
