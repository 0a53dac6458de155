// DeviceBatches: frees device memory of a batch when no stream uses it any more. device_batches.h
// has the contract.
//
// Problem: the host runs ahead of the device. When the user's program drops a batch, the training
// step that reads it may not have begun. If its memory returned to the pool now, the next batch
// would overwrite it. But the host should not wait for the device.
//
// Solution: an event marks the end of each use. Released memory is kept in a list, together with
// the events of its users. Example: four samples in memory M, and a training stream T.
//
//     call                      effect
//     copy()                    this object's stream moves the samples together; then event e1
//     wait_on(T, {e1})          later work in T starts after e1; the host goes on
//     record(T, null)           event e2 follows the work that is in T now
//     let_go({M}, {e1, e2})     the batch is dropped: `kept_` gets the entry {M; e1, e2}
//     reclaim()                 the next batch begins; e1 and e2 are over: M is freed
//
// BatchMemory makes these calls. If a stream uses a batch again, record() reuses its event: one
// event for each stream is enough. reclaim() runs when the first value of a batch is placed, and in
// each let_go(). If the pool still has no memory, wait_for_memory() polls until an entry of `kept_`
// is over.
//
// Invariants:
// - Memory in `kept_` is freed only when all events of its entry are over. over() removes an event
//   that is over, so it is not queried again.
// - `mutex_` guards `stream_`, `kept_`, and all recording and querying of events: only one thread
//   at a time may use an event. A thread that polls sleeps 20 microseconds without the lock.
// - Memory is freed without the lock, because a user's MemoryResource may run then. So entries move
//   to a local list, which is destroyed after the lock.
// - let_go() adds the entry first, and then moves the memory into it. If there is no memory for the
//   entry, let_go() waits for the events.
//
// Errors: for `kept_`, a failed event is over, because its work has ended. wait() throws its error.
// If copy() fails, it waits for the copies that it has begun (abandon()), and throws. The end of an
// epoch and cancellation change nothing: batches share this object, and may outlive the run. The
// destructor waits for all entries. In a child of fork(), another thread may have held the lock.
// So each function that locks checks `home_` first.
//
// Read let_go() first, then reclaim().
#include <sluice/runtime/abandon.h>
#include <sluice/runtime/device_batches.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace sluice {
namespace {

void pause() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

}  // namespace

DeviceBatches::DeviceBatches(std::shared_ptr<Device> device)
    : device_(std::move(device)), pinned_(device_->pinned()) {}

DeviceBatches::~DeviceBatches() {
  while (wait_for_memory()) {
  }
}

void DeviceBatches::require_home() const { home_.require("a device's batch"); }

DeviceBatches::Event DeviceBatches::copy(std::span<const Copy> copies) {
  require_home();
  const std::lock_guard lock(mutex_);
  if (stream_ == nullptr) stream_ = device_->make_stream();
  Event event = device_->make_event();
  try {
    for (const Copy& one : copies) stream_->copy(one.to, one.from, one.bytes);
    stream_->record(*event);
  } catch (...) {
    abandon(*stream_, *event);
    throw;
  }
  return event;
}

Tensor DeviceBatches::to_host(const Tensor& tensor) {
  if (!tensor.contiguous()) {
    throw std::invalid_argument(
        "only elements that lie side by side are copied to the host; copy the whole tensor");
  }
  require_home();
  Tensor copy;
  {
    const BufferPoolScope pinned(pinned_);
    copy.create(tensor.shape(), tensor.dtype(), tensor.layout());
  }
  if (tensor.nbytes() == 0) return copy;
  const Copy one{copy.bytes(), tensor.bytes(), tensor.nbytes()};
  const Event event = this->copy({&one, 1});
  wait({&event, 1});
  return copy;
}

void DeviceBatches::wait_on(void* stream, std::span<const Event> events) {
  if (events.empty()) return;
  require_home();
  const std::lock_guard lock(mutex_);
  const std::unique_ptr<DeviceStream> waits = device_->borrow(stream);
  for (const Event& event : events) waits->wait(*event);
}

void DeviceBatches::wait(std::span<const Event> events) {
  if (!events.empty()) require_home();
  for (const Event& event : events) {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (event->over()) break;
      }
      pause();
    }
  }
}

DeviceBatches::Event DeviceBatches::record(void* stream, Event again) {
  require_home();
  const std::lock_guard lock(mutex_);
  if (again == nullptr) again = device_->make_event();
  device_->borrow(stream)->record(*again);
  return again;
}

bool DeviceBatches::over(std::vector<Event>& users) noexcept {
  while (!users.empty()) {
    try {
      if (!users.back()->over()) return false;
    } catch (...) {  // it failed, and is over
    }
    users.pop_back();
  }
  return true;
}

void DeviceBatches::let_go(std::vector<Held>& memory, std::vector<Event> users) noexcept {
  if (!home_.here()) return memory.clear();
  reclaim();
  std::unique_lock lock(mutex_);
  try {
    if (!over(users)) kept_.push_back({{}, users});
  } catch (...) {  // no memory for the list, so wait here
    while (!over(users)) {
      lock.unlock();
      pause();
      lock.lock();
    }
  }
  if (!users.empty()) kept_.back().memory = std::move(memory);
  lock.unlock();
  memory.clear();
}

void DeviceBatches::reclaim() noexcept {
  if (!home_.here()) return;
  std::list<Kept> back;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for (auto each = kept_.begin(); each != kept_.end();) {
    const auto next = std::next(each);
    if (over(each->users)) back.splice(back.end(), kept_, each);
    each = next;
  }
}

bool DeviceBatches::wait_for_memory() noexcept {
  if (!home_.here()) return false;
  while (true) {
    std::list<Kept> back;
    {
      const std::lock_guard lock(mutex_);
      if (kept_.empty()) return false;
      for (auto each = kept_.begin(); each != kept_.end(); ++each) {
        if (!over(each->users)) continue;
        back.splice(back.end(), kept_, each);
        break;
      }
    }
    if (!back.empty()) return true;
    pause();
  }
}

}  // namespace sluice
