#include <sluice/cuda/kernels/colours_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int colours_on_cuda(const void* batch, void* stream) {
  return launch_tiles<ColourJob, std::uint8_t, kLevelTables, colours_tile>(batch, stream);
}

}  // namespace sluice::device
