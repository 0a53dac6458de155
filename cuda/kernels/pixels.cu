#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/pixels_tile.h>

namespace sluice::device {

CudaLaunch pixels_on_cuda(const void* batch) {
  return tiles_on_cuda<PixelsJob, std::uint8_t, 256, pixels_tile>(batch);
}

}  // namespace sluice::device
