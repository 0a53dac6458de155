// DeviceWork: a pipeline's resources on its device: memory, and the thread that polls for completed
// GPU batches. Internal to graph/run/.
//
// Ownership: owns both; shares the device. Outlives the stages that use it, and the samples with
// values on the device. Threads: any.
#pragma once

#include <sluice/graph/flow/poller.h>
#include <sluice/graph/plan/gather.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace sluice::detail {

class PipelineTrace;

// Keeps device memory for reuse. It may be asked to free it, on any thread.
class DeviceKeeper {
 public:
  virtual void let_go() noexcept = 0;

 protected:
  ~DeviceKeeper() = default;
};

struct DeviceWork {
  // `samples`: the most in flight, all of which may wait for a stage. `max_bytes`, `decoder`: see
  // DeviceMemory.
  DeviceWork(std::shared_ptr<Device> with, std::size_t samples, std::int64_t max_bytes = 0,
             Decoder decoder = Decoder::exact)
      : device(std::move(with)), room(samples), memory(device, max_bytes, decoder) {}

  const std::shared_ptr<Device> device;
  const std::size_t room;
  DeviceMemory memory;
  flow::poller completions;
  PipelineTrace* trace = nullptr;      // null: none
  std::vector<DeviceKeeper*> keepers;  // complete before the first sample
  std::atomic<int> launched{0};        // GPU batches at work
  std::atomic<int> waiting{0};         // GPU batches that wait for memory
  // Bytes in use when memory ran out; 0 while no shortage is known. After a shortage, new samples
  // are admitted to the device only while half of this is free, because the samples there need
  // memory to continue.
  std::atomic<std::size_t> scarce{0};
  // The most GPU batches in flight for each stage, and as many again for samples that continue.
  std::size_t gathers = 8;
  std::size_t most = 128;  // the most samples in a GPU batch
};

}  // namespace sluice::detail
