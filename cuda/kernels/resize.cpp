#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/resize.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sluice::device {
namespace {

constexpr std::size_t kAligned = 16;

std::size_t aligned(std::size_t bytes) { return (bytes + kAligned - 1) / kAligned * kAligned; }

ResizeAxis axis_of(int in_length, double start, double length, int out_length,
                   const kernels::ResizeFilter& filter, bool reversed) {
  ResizeAxis axis;
  axis.start = start;
  axis.length = length;
  axis.in_length = in_length;
  axis.out_length = out_length;
  axis.reversed = reversed;
  axis.same = start == 0 && length == in_length && in_length == out_length;
  const double support = kernels::resize_half_width(filter.interpolation) *
                         kernels::resize_widening(filter, length / out_length);
  axis.taps = axis.same ? 1 : std::min(in_length, static_cast<int>(std::ceil(support)) * 2 + 1);
  return axis;
}

std::size_t bytes_of(const ResizeAxis& axis) {
  return kAligned + aligned(static_cast<std::size_t>(axis.out_length) * sizeof(ResizeWindow)) +
         aligned(axis.weight_count() * sizeof(std::int16_t));
}

std::byte* place(ResizeAxis& axis, std::byte* at) {
  axis.shift = reinterpret_cast<std::int32_t*>(at);
  at += kAligned;
  axis.windows = reinterpret_cast<ResizeWindow*>(at);
  at += aligned(static_cast<std::size_t>(axis.out_length) * sizeof(ResizeWindow));
  axis.weights = reinterpret_cast<std::int16_t*>(at);
  return at + aligned(axis.weight_count() * sizeof(std::int16_t));
}

void resize_tables_on_host(const void* arguments) {
  const auto& batch = *static_cast<const Batch<ResizeJob>*>(arguments);
  const ResizeJob* const jobs = device_view(batch.jobs, static_cast<std::size_t>(batch.count));
  double largest[kTeam];
  for (int i = 0; i < batch.count; ++i) {
    make_resize_table(jobs[i].columns, jobs[i].filter, Team(), largest);
    make_resize_table(jobs[i].rows, jobs[i].filter, Team(), largest);
  }
}

void tiles_on_host(const void* arguments) {
  ResizeMemory memory;
  for_each_tile(*static_cast<const Batch<ResizeJob>*>(arguments),
                [&](const ResizeJob& job, int tile) { resize_tile(job, tile, Team(), memory); });
}

const Kernel kResizeTables{"resize_tables", resize_tables_on_host,
                           SLUICE_ON_CUDA(resize_tables_on_cuda)};
const Kernel kTiles{"resize", tiles_on_host, SLUICE_ON_CUDA(resize_tiles_on_cuda)};

}  // namespace

ResizeJob resize_job(int in_height, int in_width, const kernels::Box& box,
                     const kernels::ResizeFilter& filter, bool mirror, const PixelsOut& out) {
  if (in_height < 1 || in_width < 1) throw std::invalid_argument("resize: the image is empty");
  const bool inside = box.y >= 0 && box.x >= 0 && box.height > 0 && box.width > 0 &&
                      box.y + box.height <= in_height && box.x + box.width <= in_width;
  if (!inside) throw std::invalid_argument("resize: the box does not lie inside the picture");
  ResizeJob job;
  job.channels = out.channels;
  job.filter = filter;
  job.out = out;
  job.columns = axis_of(in_width, box.x, box.width, out.width, filter, mirror);
  job.rows = axis_of(in_height, box.y, box.height, out.height, filter, false);
  job.tiles =
      resize_tiles_across(out.width) * ((out.height + kResizeTileHeight - 1) / kResizeTileHeight);
  return job;
}

std::size_t resize_scratch(const ResizeJob& job) {
  return bytes_of(job.columns) + bytes_of(job.rows);
}

void place_resize(ResizeJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out,
                  void* scratch) {
  job.in = in;
  job.in_stride = in_stride;
  job.out.data = out;
  place(job.rows, place(job.columns, static_cast<std::byte*>(scratch)));
}

void launch_resize(DeviceStream& stream, const Batch<ResizeJob>& batch) {
  if (batch.tiles == 0) return;
  launch_batch(stream, kResizeTables, batch);
  launch_batch(stream, kTiles, batch);
}

}  // namespace sluice::device
