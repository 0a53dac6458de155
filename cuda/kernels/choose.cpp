#include <sluice/cuda/kernels/choose.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

const Kernel kChoose{"choose", tiles_on_host<ChooseJob, choose_tile>,
                     SLUICE_ON_CUDA(choose_on_cuda)};

}  // namespace

void launch_choose(DeviceStream& stream, const Batch<ChooseJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kChoose, batch);
}

}  // namespace sluice::device
