#include <sluice/cuda/kernels/colours_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) tiles(Batch<ColourJob> batch) {
  __shared__ std::uint8_t tables[kLevelTables];
  for_this_tile(
      batch, [&](const ColourJob& job, int tile) { colours_tile(job, tile, this_team(), tables); });
}

}  // namespace

int colours_on_cuda(const void* batch, void* stream) {
  return launch_blocks<ColourJob>(tiles, static_cast<const Batch<ColourJob>*>(batch)->tiles, batch,
                                  stream);
}

}  // namespace sluice::device
