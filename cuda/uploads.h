// Uploads: the data that goes to a device with a GPU batch: the jobs of a launch, and the arrays
// that they read.
//
// Ownership: the Gather's memory, until it is over. Threads: one. Errors: as Gather says.
#pragma once

#include <sluice/cuda/kernels/tiles.h>
#include <sluice/graph/plan/gather.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace sluice::device {

// Returns the jobs of a launch at their addresses on the device. `guards`: one for each job, or
// none.
template <class Job>
Batch<Job> upload_jobs(detail::Gather& gather, const std::vector<Job>& jobs,
                       const std::vector<DeviceGuard>& guards = {}) {
  const auto count = static_cast<int>(jobs.size());
  const bool guarded = std::any_of(guards.begin(), guards.end(),
                                   [](const DeviceGuard& guard) { return guard.taken != nullptr; });
  const detail::Gather::Upload at = gather.upload(JobBlock<Job>::bytes(count, guarded));
  JobBlock<Job> block(at.host, count, guarded);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    block.add(jobs[i], guarded ? guards[i] : DeviceGuard());
  return block.on_device(at.device);
}

// Returns `count` elements at their address on the device.
template <class T>
const T* upload_all(detail::Gather& gather, const T* from, std::size_t count) {
  const detail::Gather::Upload at = gather.upload(count * sizeof(T));
  std::memcpy(at.host, from, count * sizeof(T));
  return reinterpret_cast<const T*>(at.device);
}

}  // namespace sluice::device
