// What goes to a device with a gather: the jobs of a launch, and arrays that they read.
//
// Ownership: the gather's memory, until it is over. Threads: one. Errors: as Gather says.
#pragma once

#include <sluice/cuda/kernels/tiles.h>
#include <sluice/graph/plan/gather.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace sluice::device {

// The jobs of a launch, as they will lie on the device; `guards`: of each, or of none.
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

// So many of something, as they will lie on the device.
template <class T>
const T* upload_all(detail::Gather& gather, const T* from, std::size_t count) {
  const detail::Gather::Upload at = gather.upload(count * sizeof(T));
  std::memcpy(at.host, from, count * sizeof(T));
  return reinterpret_cast<const T*>(at.device);
}

}  // namespace sluice::device
