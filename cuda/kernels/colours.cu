#include <sluice/cuda/kernels/colours_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch colours_on_cuda(const void* batch) {
  return tiles_on_cuda<ColourJob, std::uint8_t, kLevelTables, colours_tile>(batch);
}

}  // namespace sluice::device
