#include <sluice/cuda/kernels/blur.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

void down_on_host(const void* arguments) {
  for_each_tile(*static_cast<const Batch<BlurJob>*>(arguments),
                [&](const BlurJob& job, int tile) { blur_down_tile(job, tile, Team()); });
}

void across_on_host(const void* arguments) {
  for_each_tile(*static_cast<const Batch<BlurJob>*>(arguments),
                [&](const BlurJob& job, int tile) { blur_across_tile(job, tile, Team()); });
}

const Kernel kDown{"blur_down", down_on_host, SLUICE_ON_CUDA(blur_down_on_cuda)};
const Kernel kAcross{"blur_across", across_on_host, SLUICE_ON_CUDA(blur_across_on_cuda)};

}  // namespace

BlurJob blur_job(const PictureIn& in, const PictureOut& out) {
  require_same_shape(in, out);
  BlurJob job;
  job.in = in;
  job.out = out;
  job.tiles = picture_tiles(out.height, out.width, kBlurPixels);
  return job;
}

void launch_blur(DeviceStream& stream, const Batch<BlurJob>& batch) {
  if (batch.tiles == 0) return;
  launch_batch(stream, kDown, batch);
  launch_batch(stream, kAcross, batch);
}

}  // namespace sluice::device
