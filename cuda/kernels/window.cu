#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/window_tile.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) tiles(Batch<WindowJob> batch) {
  for_this_tile(batch,
                [&](const WindowJob& job, int tile) { window_tile(job, tile, this_team()); });
}

}  // namespace

int window_on_cuda(const void* batch, void* stream) {
  return launch_blocks<WindowJob>(tiles, static_cast<const Batch<WindowJob>*>(batch)->tiles, batch,
                                  stream);
}

}  // namespace sluice::device
