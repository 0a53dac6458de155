#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/window.h>

#include <algorithm>

namespace sluice::device {
namespace {

const Kernel kWindow{"window", tiles_on_host<WindowJob, window_tile>,
                     SLUICE_ON_CUDA(window_on_cuda)};

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

void launch_window(DeviceStream& stream, const Batch<WindowJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kWindow, batch);
}

}  // namespace sluice::device
