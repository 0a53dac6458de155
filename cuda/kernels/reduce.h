// Reduce kernel: computes the sums for mean, min, max and standard_deviation, for many samples by
// one launch.
//
//   ReduceJob job = reduce_job(rows);           // with device addresses
//   job.result = ...;                           // device memory, zeros
//   block.add(job);                             // see tiles.h
//   launch_reduce(stream, block.on_device(address));
//   ... after copying the result to the host: kernels::reduced(what, sums_of(result), count)
//
// Ownership: none; input, results and jobs belong to the caller and live until the launch is over.
// Threads: any. Errors: std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/reduce_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

ReduceJob reduce_job(const kernels::LevelRows& rows);
void launch_reduce(DeviceStream& stream, const Batch<ReduceJob>& batch);
kernels::LevelSums sums_of(const ReduceResult& result);

}  // namespace sluice::device
