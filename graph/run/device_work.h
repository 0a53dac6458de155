// DeviceWork: what a pipeline has of its device: memory, and the thread that asks whether gathers
// are over. Internal to graph/run/.
//
// Ownership: owns both; shares the device. Outlives the stages that use it, and the samples whose
// values lie there. Threads: any.
#pragma once

#include <sluice/graph/flow/poller.h>
#include <sluice/graph/plan/gather.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace sluice::detail {

struct DeviceWork {
  // `samples`: as many may wait for it at one time.
  DeviceWork(std::shared_ptr<Device> with, std::size_t samples)
      : device(std::move(with)), memory(device), room(samples) {}

  const std::shared_ptr<Device> device;
  DeviceMemory memory;
  flow::poller completions;
  const std::size_t room;
  std::size_t gathers = 8;  // that may be under way at one time, of each stage
  std::size_t most = 64;    // samples of a gather
};

}  // namespace sluice::detail
