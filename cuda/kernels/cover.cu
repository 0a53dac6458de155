#include <sluice/cuda/kernels/cover_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) tiles(Batch<CoverJob> batch) {
  for_this_tile(batch, [&](const CoverJob& job, int tile) { cover_tile(job, tile, this_team()); });
}

}  // namespace

int cover_on_cuda(const void* batch, void* stream) {
  return launch_blocks<CoverJob>(tiles, static_cast<const Batch<CoverJob>*>(batch)->tiles, batch,
                                 stream);
}

}  // namespace sluice::device
