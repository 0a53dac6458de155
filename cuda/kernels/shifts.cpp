#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/shifts.h>

namespace sluice::device {
namespace {

const Kernel kDraw{"draw_shifts", tiles_on_host<ShiftsJob, draw_shifts_tile>,
                   SLUICE_ON_CUDA(draw_shifts_on_cuda)};
const Kernel kAcross{"blur_shifts_across", tiles_on_host<ShiftsJob, blur_shifts_across_tile>,
                     SLUICE_ON_CUDA(blur_shifts_across_on_cuda)};
const Kernel kDown{"blur_shifts_down", tiles_on_host<ShiftsJob, blur_shifts_down_tile>,
                   SLUICE_ON_CUDA(blur_shifts_down_on_cuda)};

}  // namespace

ShiftsJob shifts_job(int height, int width, const RandomWords& words) {
  ShiftsJob job;
  job.height = height;
  job.width = width;
  job.words = words;
  job.tiles = picture_tiles(height, width, kShiftsPixels);
  return job;
}

void launch_shifts(DeviceStream& stream, const Batch<ShiftsJob>& batch) {
  if (batch.tiles == 0) return;
  launch_batch(stream, kDraw, batch);
  launch_batch(stream, kAcross, batch);
  launch_batch(stream, kDown, batch);
}

}  // namespace sluice::device
