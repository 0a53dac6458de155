#include <sluice/cuda/kernels/choose.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

void on_host(const void* arguments) {
  for_each_tile(*static_cast<const Batch<ChooseJob>*>(arguments),
                [](const ChooseJob& job, int) { choose_arm(job, Team()); });
}

const Kernel kChoose{"choose", on_host, SLUICE_ON_CUDA(choose_on_cuda)};

}  // namespace

void launch_choose(DeviceStream& stream, const Batch<ChooseJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kChoose, batch);
}

}  // namespace sluice::device
