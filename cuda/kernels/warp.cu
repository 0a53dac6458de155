#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/warp_tile.h>

namespace sluice::device {

CudaLaunch warp_on_cuda(const void* batch) {
  return tiles_on_cuda<WarpJob, std::uint8_t, 256, warp_tile>(batch);
}

}  // namespace sluice::device
