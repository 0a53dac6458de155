#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/pixels_tile.h>

namespace sluice::device {

int pixels_on_cuda(const void* batch, void* stream) {
  return launch_tiles<PixelsJob, std::uint8_t, 256, pixels_tile>(batch, stream);
}

}  // namespace sluice::device
