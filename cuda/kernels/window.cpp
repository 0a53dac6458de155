#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/window.h>

#include <algorithm>

namespace sluice::device {
namespace {

void on_host(const void* arguments) {
  for_each_tile(*static_cast<const Batch<WindowJob>*>(arguments),
                [&](const WindowJob& job, int tile) { window_tile(job, tile, Team()); });
}

const Kernel kWindow{"window", on_host, SLUICE_ON_CUDA(window_on_cuda)};

WindowJob window_job(const PictureIn& in, const PictureOut& out) {
  require_same_shape(in, out);
  WindowJob job;
  job.in = in;
  job.out = out;
  job.tiles = picture_tiles(out.height, out.width, kWindowPixels);
  return job;
}

}  // namespace

WindowJob sharpness_job(const PictureIn& in, const PictureOut& out, kernels::FixedFactor factor) {
  WindowJob job = window_job(in, out);
  job.work = WindowWork::sharpen;
  job.factor = factor.value;
  job.factor_bits = factor.bits;
  return job;
}

WindowJob filter_job(const PictureIn& in, const PictureOut& out,
                     const kernels::FilterWeights& filter) {
  kernels::check_filter(filter);
  WindowJob job = window_job(in, out);
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
