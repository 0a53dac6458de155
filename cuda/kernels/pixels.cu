#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/pixels_tile.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) tiles(Batch<PixelsJob> batch) {
  __shared__ std::uint8_t levels[256];
  for_this_tile(
      batch, [&](const PixelsJob& job, int tile) { pixels_tile(job, tile, this_team(), levels); });
}

}  // namespace

int pixels_on_cuda(const void* batch, void* stream) {
  return launch_blocks<PixelsJob>(tiles, static_cast<const Batch<PixelsJob>*>(batch)->tiles, batch,
                                  stream);
}

}  // namespace sluice::device
