#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/morphology_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int morphology_across_on_cuda(const void* batch, void* stream) {
  return launch_tiles<MorphologyJob, morphology_across_tile>(batch, stream);
}

int morphology_down_on_cuda(const void* batch, void* stream) {
  return launch_tiles<MorphologyJob, morphology_down_tile>(batch, stream);
}

}  // namespace sluice::device
