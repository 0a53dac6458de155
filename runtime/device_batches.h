// DeviceBatches: the device resources that the batches of one pipeline share: a stream for their
// copies, events to wait for, and released memory that streams may still use.
//
// Released memory is freed when the events named for it are over. They are checked when memory is
// needed next. The destructor, after the last batch is gone, waits for the rest.
//
// Ownership: shares the device, and is shared by the batches. Query its events only through it.
// Threads: any. Errors: DeviceError. In a child of fork(), functions that need the device throw
// Error, and let_go() frees the memory at once.
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
  // Released memory: one of the two.
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

  // Runs the copies in order, after those of earlier calls. Returns an event that is over after
  // them. If it throws, none of the copies is running any more.
  Event copy(std::span<const Copy> copies);
  // Returns a copy in pinned memory of a contiguous device tensor. Waits for the copy.
  Tensor to_host(const Tensor& tensor);
  // For copies to the host.
  BufferPool& pinned() { return pinned_; }

  void wait_on(void* stream, std::span<const Event> events);
  void wait(std::span<const Event> events);
  // Returns an event that is over after the work now in the stream. Reuses `again` unless it is
  // null.
  Event record(void* stream, Event again);

  // Releases the memory when the events are over, whether or not their work succeeded.
  void let_go(std::vector<Held>& memory, std::vector<Event> users) noexcept;
  // Frees the memory whose events are over by now.
  void reclaim() noexcept;
  // Waits until some released memory is freed. Returns false if there is none.
  bool wait_for_memory() noexcept;

 private:
  struct Kept {
    std::vector<Held> memory;
    std::vector<Event> users;
  };
  // Removes events that are over; returns true if all are. Requires the lock.
  static bool over(std::vector<Event>& users) noexcept;

  const HomeProcess home_;
  const std::shared_ptr<Device> device_;
  BufferPool pinned_;
  std::mutex mutex_;
  std::unique_ptr<DeviceStream> stream_;  // made at first use
  std::list<Kept> kept_;
};

}  // namespace sluice
