#include <sluice/cuda/kernels/blur.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

const Kernel kBlurDown{"blur_down", tiles_on_host<BlurJob, blur_down_tile>,
                       SLUICE_ON_CUDA(blur_down_on_cuda)};
const Kernel kBlurAcross{"blur_across", tiles_on_host<BlurJob, blur_across_tile>,
                         SLUICE_ON_CUDA(blur_across_on_cuda)};

}  // namespace

BlurJob blur_job(const PictureIn& in, const PictureOut& out) {
  return picture_job<BlurJob>(in, out, kBlurPixels);
}

BlurSide box_side(int window) { return {nullptr, window / 2 + 1, 0}; }

void launch_blur(DeviceStream& stream, const Batch<BlurJob>& batch) {
  if (batch.tiles == 0) return;
  launch_batch(stream, kBlurDown, batch);
  launch_batch(stream, kBlurAcross, batch);
}

}  // namespace sluice::device
