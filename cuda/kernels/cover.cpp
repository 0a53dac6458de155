#include <sluice/cuda/kernels/cover.h>
#include <sluice/cuda/kernels/on_cuda.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kCover{"cover", tiles_on_host<CoverJob, cover_tile>, SLUICE_ON_CUDA(cover_on_cuda)};

std::int32_t end_of(std::int32_t start, std::int32_t length, std::int32_t whole) {
  const std::int64_t end = std::int64_t{start} + std::max(0, length);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(end, 0, whole));
}

}  // namespace

CoverJob cover_job(const PictureIn& in, const PictureOut& out, const Fill& fill) {
  if (in.channels != out.channels || in.channels < 1 || in.channels > 4)
    throw std::invalid_argument("cover: pictures of as many channels, 1 to 4, are possible");
  CoverJob job;
  job.in = in;
  job.out = out;
  for (int c = 0; c < 4; ++c) job.fill[c] = fill[c];
  job.tiles = picture_tiles(out.height, out.width, kCoverPixels);
  return job;
}

void cover_margins(CoverJob& job, int top, int left, Border border) {
  job.top = top;
  job.left = left;
  job.border = border;
}

void cover_rectangle(CoverJob& job, const Rectangle& region) {
  job.covered = Covered::rectangle;
  job.first_row = region.y;
  job.end_row = end_of(region.y, region.height, job.out.height);
  job.first_column = region.x;
  job.end_column = end_of(region.x, region.width, job.out.width);
}

void cover_grid(CoverJob& job, const kernels::GridMask& mask) {
  const kernels::GridSteps steps = kernels::grid_steps(mask);
  job.covered = Covered::grid;
  job.grid = {mask.shift_x, mask.shift_y, steps.cosine, steps.sine,
              steps.step_u, steps.step_v, steps.tile,   steps.side};
}

void launch_cover(DeviceStream& stream, const Batch<CoverJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kCover, batch);
}

}  // namespace sluice::device
