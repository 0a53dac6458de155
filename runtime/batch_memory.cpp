// DeviceBatches: frees device memory of a batch when no stream uses it any more. batch_memory.h
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
// So each function that locks checks `fork_guard_` first.
//
// Read let_go() first, then reclaim(). BatchMemory follows.
#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
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

void DeviceBatches::require_home() const { fork_guard_.require("a device's batch"); }

DeviceBatches::Event DeviceBatches::copy(std::span<const Copy> copies) {
  require_home();
  const std::lock_guard lock(mutex_);
  if (stream_ == nullptr) stream_ = device_->make_stream();
  Event event = device_->make_event();
  try {
    for (const Copy& one : copies) stream_->copy(one.to, one.from, one.bytes);
    stream_->record(*event);
  } catch (...) {
    drain_stream(*stream_, *event);
    throw;
  }
  return event;
}

Tensor DeviceBatches::to_host(const Tensor& tensor) {
  if (!tensor.contiguous()) {
    throw std::invalid_argument(
        "only contiguous elements can be copied to the host; copy the whole tensor");
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
  if (!fork_guard_.here()) return memory.clear();
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
  if (!fork_guard_.here()) return;
  std::list<Kept> back;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for (auto each = kept_.begin(); each != kept_.end();) {
    const auto next = std::next(each);
    if (over(each->users)) back.splice(back.end(), kept_, each);
    each = next;
  }
}

bool DeviceBatches::wait_for_memory() noexcept {
  if (!fork_guard_.here()) return false;
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

namespace {

// Waits for the event, and ignores its errors.
void end_of(DeviceBatches& device, const DeviceBatches::Event& event) noexcept {
  try {
    device.wait({&event, 1});
  } catch (...) {
  }
}

[[noreturn]] void throw_shapes_differ() {
  throw Error(
      "the samples of this batch differ in shape and do not fit into the given memory; make them "
      "one shape, for instance with resize");
}

// Returns the spec of values that have one number of dimensions, with 0 for sizes in which they
// differ.
template <class Cells>
ValueSpec common_spec(const Cells& cells) {
  ValueSpec common = cells.front().spec;
  for (const auto& cell : cells) {
    for (int axis = 0; axis < common.shape.rank; ++axis) {
      std::int64_t& size = common.shape.dims[static_cast<std::size_t>(axis)];
      if (axis >= cell.spec.shape.rank || cell.spec.shape[axis] != size) size = 0;
    }
  }
  return common;
}

}  // namespace

BatchMemory::BatchMemory(std::size_t cells, BufferPool& pool, BatchHistory& history,
                         std::shared_ptr<MemoryResource> given,
                         std::shared_ptr<DeviceBatches> device)
    : pool_(&pool),
      history_(&history),
      device_(std::move(device)),
      place_(given == nullptr ? pool.place() : given->place()),
      given_(std::move(given)),
      cells_(cells) {}

BatchMemory::~BatchMemory() {
  if (device_ == nullptr || (ready_.empty() && uses_.empty() && copied_.empty())) return;
  std::vector<DeviceBatches::Event> users;
  std::vector<DeviceBatches::Held> memory;
  try {
    users = ready_;
    users.insert(users.end(), copied_.begin(), copied_.end());
    for (const Use& use : uses_) users.push_back(use.over);
    memory = std::move(dropped_);
    memory.reserve(memory.size() + cells_.size() + 3);
  } catch (...) {  // no memory for the lists, so wait here
    for (const auto* events : {&ready_, &copied_})
      for (const DeviceBatches::Event& event : *events) end_of(*device_, event);
    for (const Use& use : uses_) end_of(*device_, use.over);
    return;
  }
  memory.push_back({std::move(block_.own), std::move(block_.shared)});
  memory.push_back({{}, std::move(block_.given)});
  for (Cell& cell : cells_) {
    if (cell.own || cell.shared != nullptr)
      memory.push_back({std::move(cell.own), std::move(cell.shared)});
  }
  device_->let_go(memory, std::move(users));
}

// Returns the owner of the cell's value, which others share from now on.
std::shared_ptr<void> BatchMemory::share(std::size_t i) {
  Cell& cell = cells_[i];
  if (cell.own) cell.shared = std::make_shared<Buffer>(std::move(cell.own));
  if (cell.shared != nullptr) return cell.shared;
  if (block_.given != nullptr) return block_.given;
  if (block_.own) block_.shared = std::make_shared<Buffer>(std::move(block_.own));
  return block_.shared;
}

void BatchMemory::adopt(std::size_t index, Tensor&& value) {
  if (!value.contiguous() || value.is_view() || value.place() != pool_->place())
    throw std::logic_error("a device's value does not own its memory");
  Cell& cell = cells_[index];
  cell = Cell{value.data_, value.spec_, std::move(value.buffer_), std::move(value.owner_)};
  value.release();
}

void BatchMemory::adopt(std::size_t index, BatchMemory& from, std::size_t i) {
  Cell cell{from.data(i), from.spec(i), {}, from.share(i)};
  for (const DeviceBatches::Event& event : from.ready_) {
    if (std::find(ready_.begin(), ready_.end(), event) == ready_.end()) ready_.push_back(event);
  }
  cells_[index] = std::move(cell);
}

// Takes memory from the pool. If there is none and `patient`, waits for memory that streams use.
Buffer BatchMemory::take(std::size_t bytes, bool patient) {
  while (true) {
    try {
      return pool_->allocate(bytes);
    } catch (const std::bad_alloc&) {
      if (!patient || device_ == nullptr || !device_->wait_for_memory()) throw;
    }
  }
}

void BatchMemory::reserve_block(const ValueSpec& spec) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(spec.bytes(), cells_.size(), &bytes)) return;
  if (given_ == nullptr) {
    if (!history_->last_dense.load(std::memory_order_relaxed)) return;
    if (bytes / 2 > history_->largest_dense.load(std::memory_order_relaxed)) return;
  }
  try {
    block_ = allocate_block(bytes, given_ == nullptr);
    block_spec_ = spec;
  } catch (const Error&) {  // finish() asks again for given memory, and reports it
  }
}

// Takes memory from the user's resource. If `patient`, waits for memory that streams still use.
void* BatchMemory::ask_given(std::size_t asked, bool patient) {
  while (true) {
    std::string why;
    try {
      void* const at = given_->allocate(asked, Buffer::kAlignment);
      if (at == nullptr) {
        why = "its allocate() returned a null pointer";
      } else if (reinterpret_cast<std::uintptr_t>(at) % Buffer::kAlignment != 0) {
        given_->deallocate(at, asked, Buffer::kAlignment);
        why = "its allocate() returned an address that is not a multiple of " +
              std::to_string(Buffer::kAlignment);
      } else {
        return at;
      }
    } catch (const std::exception& e) {
      why = e.what();
    } catch (...) {
      why = "its allocate() threw something that is not a std::exception";
    }
    if (patient && device_ != nullptr && device_->wait_for_memory()) continue;
    throw Error(why);
  }
}

BatchMemory::Block BatchMemory::allocate_block(std::size_t bytes, bool patient) {
  Block block;
  if (given_ == nullptr) {
    block.own = take(bytes, patient);
    block.data = block.own.data();
    block.bytes = block.own.size();
    return block;
  }
  const std::size_t asked = std::max<std::size_t>(bytes, 1);  // the address must not be null
  try {
    block.data = static_cast<std::byte*>(ask_given(asked, patient));
  } catch (const Error& why) {
    throw Error("the memory given for this output is too small for a batch of " +
                std::to_string(bytes) + " bytes: " + why.what());
  }
  block.bytes = bytes;
  // If there is no memory for the reference count, the deleter runs at once.
  block.given = std::shared_ptr<std::byte>(block.data, [given = given_, asked](std::byte* data) {
    given->deallocate(data, asked, Buffer::kAlignment);
  });
  return block;
}

std::byte* BatchMemory::place(std::size_t index, const ValueSpec& spec) {
  bool in_block = false;
  {
    const std::lock_guard lock(mutex_);
    if (!decided_) {
      if (device_ != nullptr) device_->reclaim();
      reserve_block(spec);
      decided_ = true;
    }
    in_block = block_.data != nullptr && block_spec_ == spec;
  }
  Cell& cell = cells_[index];
  cell.own.reset();
  cell.shared.reset();
  if (in_block) {
    cell.data = block_.data + spec.bytes() * index;
  } else {
    cell.data = nullptr;
    cell.own = take(spec.bytes());
    cell.data = cell.own.data();
  }
  cell.spec = spec;
  return cell.data;
}

MemoryPlace BatchMemory::place_of(std::size_t cell) const {
  return cells_[cell].own ? pool_->place() : place_;
}

void BatchMemory::move(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (place_.on_host()) {
    std::memmove(to, from, bytes);
  } else if (bytes > 0) {
    copies_.push_back({to, from, bytes});
  }
}

void BatchMemory::let_go(Buffer& own, std::shared_ptr<void>& shared) {
  if (!place_.on_host() && (own || shared != nullptr)) {
    dropped_.push_back({std::move(own), std::move(shared)});
    return;
  }
  own.reset();
  shared.reset();
}

// Starts the copies. Memory that they read is released when they are over.
void BatchMemory::run_copies() {
  if (!copies_.empty()) ready_.push_back(device_->copy(copies_));
  copies_.clear();
  if (!dropped_.empty()) device_->let_go(dropped_, ready_);
}

void BatchMemory::finish(std::span<const std::uint32_t> kept, std::size_t padding) {
  std::vector<Cell> values;
  values.reserve(kept.size() + padding);
  for (const std::uint32_t cell : kept) values.push_back(std::move(cells_[cell]));
  cells_ = std::move(values);
  const std::size_t count = kept.empty() ? 0 : kept.size() + padding;
  const bool agree = std::all_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
    return cell.spec == cells_.front().spec;
  });
  dense_ = agree && count > 0;
  if (count == 0) {
    none_ = history_->each;
    if (block_.data == nullptr) block_ = allocate_block(0, true);
    run_copies();
    return;
  }
  history_->each = common_spec(cells_);
  history_->last_dense.store(dense_, std::memory_order_relaxed);
  if (dense_) {
    std::atomic<std::size_t>& largest = history_->largest_dense;
    largest.store(
        std::max(largest.load(std::memory_order_relaxed), count * cells_.front().spec.bytes()),
        std::memory_order_relaxed);
    make_dense(count);
    run_copies();
    return;
  }
  if (given_ != nullptr) throw_shapes_differ();
  make_ragged(count);
  run_copies();
}

// Gives each value its own memory; one that others share becomes a copy.
void BatchMemory::make_ragged(std::size_t count) {
  const auto copy_of = [&](const Cell& cell) {
    Cell copy;
    copy.spec = cell.spec;
    copy.own = take(copy.spec.bytes());
    copy.data = copy.own.data();
    move(copy.data, cell.data, copy.spec.bytes());
    return copy;
  };
  for (Cell& cell : cells_) {
    if (cell.shared == nullptr || cell.shared.use_count() == 1) continue;
    Cell copy = copy_of(cell);
    let_go(cell.own, cell.shared);
    cell = std::move(copy);
  }
  const std::size_t last = cells_.size() - 1;
  while (cells_.size() < count) {
    Cell copy = copy_of(cells_[last]);
    cells_.push_back(std::move(copy));
  }
}

std::size_t BatchMemory::bytes() const {
  std::size_t sum = block_.own.capacity();
  for (const Cell& cell : cells_) sum += cell.own.capacity();
  return sum;
}

// Puts all values, which agree, side by side. Usually they are already: then nothing moves.
void BatchMemory::make_dense(std::size_t count) {
  const ValueSpec spec = cells_.front().spec;
  const std::size_t bytes = spec.bytes();
  // No value lies in a block that was reserved for another spec. Memory from the user is not taken
  // twice.
  const bool ours = block_.data != nullptr && block_spec_ == spec;
  const bool reuse =
      block_.data != nullptr && (ours || block_.given) && block_.bytes >= bytes * count;
  Block target;
  if (!reuse) {
    if (!ours) block_ = Block{};
    target = allocate_block(bytes * count, true);
  }
  std::byte* const base = reuse ? block_.data : target.data;
  // Within the block values only move towards its front, in order, so none is overwritten before it
  // has moved.
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    std::byte* const to = base + bytes * i;
    if (cells_[i].data != to) move(to, cells_[i].data, bytes);
    cells_[i].data = to;
    let_go(cells_[i].own, cells_[i].shared);
  }
  while (cells_.size() < count) {
    std::byte* const to = base + bytes * cells_.size();
    move(to, cells_.back().data, bytes);
    Cell copy;
    copy.data = to;
    copy.spec = spec;
    cells_.push_back(std::move(copy));
  }
  if (reuse) return;
  let_go(block_.own, block_.shared);
  block_ = std::move(target);
}

void BatchMemory::wait_on(void* stream) {
  if (device_ != nullptr) device_->wait_on(stream, ready_);
}

void BatchMemory::wait() {
  if (device_ != nullptr) device_->wait(ready_);
}

void BatchMemory::release_after(void* stream) {
  if (device_ == nullptr) {
    if (place_.kind == MemoryKind::host) return;  // streams do not use it directly
    throw std::logic_error(
        "no step of the pipeline runs on a device, so the pipeline cannot tell when the device's "
        "streams have finished with " +
        to_string(place_));
  }
  device_->require_home();  // fork() may have copied a lock that is held
  const std::lock_guard lock(mutex_);
  for (Use& use : uses_) {
    if (use.stream != stream) continue;
    use.over = device_->record(stream, use.over);
    return;
  }
  uses_.push_back({stream, nullptr});
  try {
    uses_.back().over = device_->record(stream, nullptr);
  } catch (...) {
    uses_.pop_back();
    throw;
  }
}

Tensor BatchMemory::to_host(const Tensor& tensor) {
  wait();
  return device_->to_host(tensor);
}

std::shared_ptr<BatchMemory> BatchMemory::copy_to_host() {
  device_->require_home();
  wait();
  auto copy = copy_into(device_->pinned(), nullptr, true);
  copy->wait();
  copy->ready_.clear();
  return copy;
}

std::shared_ptr<BatchMemory> BatchMemory::copy_to_device(BufferPool& pool,
                                                         std::shared_ptr<MemoryResource> given,
                                                         bool patient) {
  device_->reclaim();
  copied_.reserve(copied_.size() + 1);
  auto copy = copy_into(pool, std::move(given), patient);
  copied_.insert(copied_.end(), copy->ready_.begin(), copy->ready_.end());
  return copy;
}

bool BatchMemory::is_dense_in_block() const {
  if (block_.data == nullptr || cells_.empty()) return false;
  const std::byte* at = block_.data;
  return std::all_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
    return cell.data == std::exchange(at, at + block_spec_.bytes()) && cell.spec == block_spec_;
  });
}

// Starts to copy the values into memory of another kind.
std::shared_ptr<BatchMemory> BatchMemory::copy_into(BufferPool& pool,
                                                    std::shared_ptr<MemoryResource> given,
                                                    bool patient) {
  static BatchHistory none;  // the pipeline's may be gone
  const bool dense = dense_ || is_dense_in_block();
  if (given != nullptr && !dense && !cells_.empty()) throw_shapes_differ();
  auto copy = std::make_shared<BatchMemory>(cells_.size(), pool, none, std::move(given), device_);
  copy->dense_ = dense;
  copy->none_ = none_;
  const std::size_t bytes_of_all = cells_.size() * each().bytes();
  if (dense || cells_.empty()) copy->block_ = copy->allocate_block(bytes_of_all, patient);
  std::vector<DeviceBatches::Copy> copies;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    Cell& to = copy->cells_[i];
    const std::size_t bytes = spec(i).bytes();
    to.spec = spec(i);
    if (!dense) to.own = copy->take(bytes, patient);
    to.data = dense ? copy->block_.data + i * bytes : to.own.data();
    if (!dense && bytes > 0) copies.push_back({to.data, data(i), bytes});
  }
  if (dense && bytes_of_all > 0) copies.push_back({copy->block_.data, block(), bytes_of_all});
  copy->ready_.reserve(1);
  if (!copies.empty()) copy->ready_.push_back(device_->copy(copies));
  return copy;
}

}  // namespace sluice
