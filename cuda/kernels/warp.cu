#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/warp_tile.h>

namespace sluice::device {

int warp_on_cuda(const void* batch, void* stream) {
  return launch_tiles<WarpJob, std::uint8_t, 256, warp_tile>(batch, stream);
}

}  // namespace sluice::device
