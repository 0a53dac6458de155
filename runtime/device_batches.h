// DeviceBatches: what the batches of one pipeline have of its device: a stream for their copies,
// the events that others wait for, and memory that was let go of while streams may still use it.
//
// Such memory goes back when the events are over that were named for it; whoever wants memory next
// looks whether they are. When the last batch is gone, this waits for what is left.
//
// Ownership: shares the device, and is shared by the batches. Its events are asked through it only.
// Threads: any. Errors: DeviceError. In a child of fork() whatever needs the device throws Error,
// and what is let go of is forgotten.
#pragma once

#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/process.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sluice {

class DeviceBatches {
 public:
  using Event = std::shared_ptr<DeviceEvent>;
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  // Memory that is let go of: of one kind or the other.
  struct Held {
    Buffer own;
    std::shared_ptr<void> shared;
  };

  explicit DeviceBatches(std::shared_ptr<Device> device);
  ~DeviceBatches();
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;

  // Throws Error in a child of fork().
  void require_home() const;

  // One after the other, and after those of the calls before. The event is behind them. When it
  // throws, nothing of it is under way any more.
  Event copy(std::span<const Copy> copies);
  // A contiguous tensor of the device, as one in pinned memory. Waits for the copy.
  Tensor to_host(const Tensor& tensor);
  // For copies to the host.
  BufferPool& pinned() { return pinned_; }

  void wait_on(void* stream, std::span<const Event> events);
  void wait(std::span<const Event> events);
  // An event behind what is in the stream now; the one given, where it is not null.
  Event record(void* stream, Event again);

  // Lets go of the memory when the events are over, whether their work went well or not.
  void let_go(std::vector<Held>& memory, std::vector<Event> users) noexcept;
  // Gives back what is over by now.
  void reclaim() noexcept;
  // Waits until some memory that was let go of is back. False when there is none.
  bool wait_for_memory() noexcept;

 private:
  struct Kept {
    std::vector<Held> memory;
    std::vector<Event> users;
  };
  // Wants the lock.
  static bool over(std::vector<Event>& users) noexcept;

  const HomeProcess home_;
  const std::shared_ptr<Device> device_;
  BufferPool pinned_;
  std::mutex mutex_;
  std::unique_ptr<DeviceStream> stream_;  // made when it is wanted first
  std::list<Kept> kept_;
};

}  // namespace sluice
