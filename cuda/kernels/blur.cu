#include <sluice/cuda/kernels/blur_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) down(Batch<BlurJob> batch) {
  for_this_tile(batch,
                [&](const BlurJob& job, int tile) { blur_down_tile(job, tile, this_team()); });
}

__global__ void __launch_bounds__(kBlockThreads) across(Batch<BlurJob> batch) {
  for_this_tile(batch,
                [&](const BlurJob& job, int tile) { blur_across_tile(job, tile, this_team()); });
}

}  // namespace

int blur_down_on_cuda(const void* batch, void* stream) {
  return launch_blocks<BlurJob>(down, static_cast<const Batch<BlurJob>*>(batch)->tiles, batch,
                                stream);
}

int blur_across_on_cuda(const void* batch, void* stream) {
  return launch_blocks<BlurJob>(across, static_cast<const Batch<BlurJob>*>(batch)->tiles, batch,
                                stream);
}

}  // namespace sluice::device
