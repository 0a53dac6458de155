#include <sluice/cuda/kernels/histogram.h>
#include <sluice/cuda/kernels/on_cuda.h>

#include <cstddef>
#include <stdexcept>

namespace sluice::device {
namespace {

void level_tables_on_host(const void* arguments) {
  const auto& batch = *static_cast<const Batch<HistogramJob>*>(arguments);
  const HistogramJob* const jobs = device_view(batch.jobs, static_cast<std::size_t>(batch.count));
  TablesMemory memory;
  for (int i = 0; i < batch.count; ++i) make_level_tables(jobs[i], Team(), memory);
}

const Kernel kHistograms{"histogram",
                         tiles_on_host<HistogramJob, std::uint32_t, kHistogram, histogram_tile>,
                         SLUICE_ON_CUDA(histograms_on_cuda)};
const Kernel kHistogramTables{"level_tables", level_tables_on_host,
                              SLUICE_ON_CUDA(level_tables_on_cuda)};

}  // namespace

HistogramJob histogram_job(const PictureIn& in, LevelsFor what, float factor) {
  if (in.channels != 1 && in.channels != 3 && in.channels != 4)
    throw std::invalid_argument("histogram: 1, 3 or 4 channels are possible");
  HistogramJob job;
  job.what = what;
  job.in = in;
  job.factor = factor;
  job.tiles = picture_tiles(in.height, in.width, kHistogramPixels);
  return job;
}

void launch_level_tables(DeviceStream& stream, const Batch<HistogramJob>& batch) {
  if (batch.tiles == 0) return;
  launch_batch(stream, kHistograms, batch);
  launch_batch(stream, kHistogramTables, batch);
}

}  // namespace sluice::device
