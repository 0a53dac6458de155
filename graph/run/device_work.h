// DeviceWork: what a pipeline has of its device: memory, and the thread that asks whether gathers
// are over. Internal to graph/run/.
//
// Ownership: owns both; shares the device. Outlives the stages that use it, and the samples whose
// values lie there. Threads: any.
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

// Keeps memory of the device for the next time; may be asked to give it back, on any thread.
class DeviceKeeper {
 public:
  virtual void let_go() noexcept = 0;

 protected:
  ~DeviceKeeper() = default;
};

struct DeviceWork {
  // `samples`: that may be under way, and hence wait for a stage.
  // `max_bytes`, `decoder`: see DeviceMemory.
  DeviceWork(std::shared_ptr<Device> with, std::size_t samples, std::int64_t max_bytes = 0,
             Decoder decoder = Decoder::exact)
      : device(std::move(with)), room(samples), memory(device, max_bytes, decoder) {}

  const std::shared_ptr<Device> device;
  const std::size_t room;
  DeviceMemory memory;
  flow::poller completions;
  PipelineTrace* trace = nullptr;      // null: none
  std::vector<DeviceKeeper*> keepers;  // complete before the first sample
  std::atomic<int> launched{0};        // gathers that are at work
  std::atomic<int> waiting{0};         // and those that wait for memory
  // Bytes in use when there was no more memory; 0 before. From then on samples come to the device
  // only while half of it is free: those that are there need some to go on.
  std::atomic<std::size_t> scarce{0};
  // That may be under way at one time, of each stage; and as many more for samples that go on.
  std::size_t gathers = 8;
  std::size_t most = 128;  // samples of a gather
};

}  // namespace sluice::detail
