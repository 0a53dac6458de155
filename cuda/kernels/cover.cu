#include <sluice/cuda/kernels/cover_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int cover_on_cuda(const void* batch, void* stream) {
  return launch_tiles<CoverJob, cover_tile>(batch, stream);
}

}  // namespace sluice::device
