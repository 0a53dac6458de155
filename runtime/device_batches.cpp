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
