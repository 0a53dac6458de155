#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/places_tile.h>

namespace sluice::device {

int places_on_cuda(const void* batch, void* stream) {
  return launch_tiles<PlacesJob, places_tile>(batch, stream);
}

}  // namespace sluice::device
