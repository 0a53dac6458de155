#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/places_tile.h>

namespace sluice::device {

CudaLaunch places_on_cuda(const void* batch) {
  return tiles_on_cuda<PlacesJob, places_tile>(batch);
}

}  // namespace sluice::device
