#include <sluice/cuda/kernels/choose_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

__global__ void __launch_bounds__(kBlockThreads) arms(Batch<ChooseJob> batch) {
  for_this_tile(batch, [](const ChooseJob& job, int) { choose_arm(job, this_team()); });
}

}  // namespace

int choose_on_cuda(const void* batch, void* stream) {
  return launch_blocks<ChooseJob>(arms, static_cast<const Batch<ChooseJob>*>(batch)->tiles, batch,
                                  stream);
}

}  // namespace sluice::device
