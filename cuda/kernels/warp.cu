#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/warp_tile.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) tiles(Batch<WarpJob> batch) {
  __shared__ std::uint8_t levels[256];
  for_this_tile(batch,
                [&](const WarpJob& job, int tile) { warp_tile(job, tile, this_team(), levels); });
}

}  // namespace

int warp_on_cuda(const void* batch, void* stream) {
  return launch_blocks<WarpJob>(tiles, static_cast<const Batch<WarpJob>*>(batch)->tiles, batch,
                                stream);
}

}  // namespace sluice::device
