// Shifts kernels: compute the displacements of elastic, for many samples by three launches: random
// numbers, and two blurs. places.h then looks up the pixels.
//
//   ShiftsJob job = shifts_job(height, width, random.words());
//   job.weights = ...; job.count = ...;          // of kernels::elastic_weights()
//   job.shifts = ...; job.between = ...;         // device memory, shifts_of(job) numbers each
//   block.add(job);                              // see tiles.h
//   launch_shifts(stream, block.on_device(address));
//
// The result equals the displacements of elastic in ops/, bit for bit, before they are scaled.
//
// Ownership: none; weights, shifts and jobs belong to the caller and live until the launch is over.
// Threads: any. Errors: std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/shifts_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/random.h>

namespace sluice::device {

ShiftsJob shifts_job(int height, int width, const RandomWords& words);
void launch_shifts(DeviceStream& stream, const Batch<ShiftsJob>& batch);

}  // namespace sluice::device
