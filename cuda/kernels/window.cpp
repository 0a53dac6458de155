#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/window.h>
#include <sluice/ops/kernels/median_blur.h>

#include <algorithm>

namespace sluice::device {
namespace {

const Kernel kWindow{"window", tiles_on_host<WindowJob, window_tile>,
                     SLUICE_ON_CUDA(window_on_cuda)};

const Kernel kMotion{"motion", tiles_on_host<WindowJob, motion_tile>,
                     SLUICE_ON_CUDA(motion_on_cuda)};
const Kernel kMedian{"median", tiles_on_host<WindowJob, median_tile>,
                     SLUICE_ON_CUDA(median_on_cuda)};

}  // namespace

WindowJob sharpness_job(const PictureIn& in, const PictureOut& out, kernels::FixedFactor factor) {
  WindowJob job = picture_job<WindowJob>(in, out, kWindowPixels);
  job.work = WindowWork::sharpen;
  job.factor = factor.value;
  job.factor_bits = factor.bits;
  return job;
}

WindowJob filter_job(const PictureIn& in, const PictureOut& out,
                     const kernels::FilterWeights& filter) {
  kernels::check_filter(filter);
  WindowJob job = picture_job<WindowJob>(in, out, kWindowPixels);
  job.work = WindowWork::weigh;
  job.rows = filter.rows;
  job.columns = filter.columns;
  static_assert(kMostWeights == kernels::kLargestFilter * kernels::kLargestFilter);
  std::copy(filter.weights.begin(), filter.weights.end(), job.weights);
  return job;
}

WindowJob motion_job(const PictureIn& in, const PictureOut& out, const WindowStep* steps,
                     int count) {
  WindowJob job = picture_job<WindowJob>(in, out, kWindowPixels);
  job.steps = steps;
  job.step_count = count;
  return job;
}

WindowJob median_job(const PictureIn& in, const PictureOut& out, int window_size) {
  kernels::check_median_window(window_size);
  WindowJob job = picture_job<WindowJob>(in, out, kWindowPixels);
  job.rows = job.columns = window_size;
  return job;
}

void launch_window(DeviceStream& stream, const Batch<WindowJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kWindow, batch);
}

void launch_motion(DeviceStream& stream, const Batch<WindowJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kMotion, batch);
}

void launch_median(DeviceStream& stream, const Batch<WindowJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kMedian, batch);
}

}  // namespace sluice::device
