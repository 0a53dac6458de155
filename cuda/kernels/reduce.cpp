#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/reduce.h>

#include <cstdint>
#include <stdexcept>

namespace sluice::device {
namespace {

void on_host(const void* arguments) {
  ReducePart part;
  for_each_tile(*static_cast<const Batch<ReduceJob>*>(arguments),
                [&](const ReduceJob& job, int tile) { reduce_tile(job, tile, Team(), &part); });
}

const Kernel kReduce{"reduce", on_host, SLUICE_ON_CUDA(reduce_on_cuda)};

}  // namespace

ReduceJob reduce_job(const kernels::LevelRows& rows) {
  ReduceJob job;
  job.in = rows.data;
  job.rows = rows.rows;
  job.bytes = rows.bytes;
  job.stride = rows.stride;
  const std::int64_t tiles = (rows.rows * rows.bytes + kReduceTile - 1) / kReduceTile;
  if (rows.rows < 1 || rows.bytes < 1 || rows.stride < 0 || tiles > INT32_MAX)
    throw std::invalid_argument("reduce: there must be 1 to 2^46 levels, in rows downwards");
  job.tiles = static_cast<std::int32_t>(tiles);
  return job;
}

void launch_reduce(DeviceStream& stream, const Batch<ReduceJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kReduce, batch);
}

kernels::LevelSums sums_of(const ReduceResult& result) {
  return {result.sum, result.squares, 255 - result.below_white, result.highest};
}

}  // namespace sluice::device
