#include <sluice/cuda/device_view.h>
#include <sluice/cuda/host_device.h>
#include <sluice/cuda/host_memory.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/jpeg_engines.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::device {
namespace {

// The piece of work that this thread is running; null if none.
struct Doing {
  HostMemory* memory = nullptr;
  const PinnedMemory* pinned = nullptr;
  Mark who;
  const Clock* before = nullptr;
};
thread_local const Doing* doing = nullptr;

// One recording of an event.
struct Recorded {
  Clock clock;  // what has happened by the time it is over
  bool over = false;
  std::string error;  // empty: none
  bool lost = false;
  std::chrono::steady_clock::time_point when = {};
};
using RecordedPtr = std::shared_ptr<Recorded>;

struct Work {
  HostDevice::Call call{};
  HostDevice::Fault fault = HostDevice::Fault::none;
  Mark who;
  Clock before;
  std::function<void(const Doing&)> run;
  RecordedPtr waits_for;
  RecordedPtr records;
};

struct Queue {
  int index = 0;
  std::deque<Work> work;
  bool busy = false;
  std::int64_t calls = 0;
  Clock clock;        // what happened before the next piece of work
  std::string error;  // reported by the next recorded event
  std::thread thread;
};

}  // namespace

std::ptrdiff_t enter_memory(const void* at, std::size_t bytes, bool writes) {
  if (doing == nullptr) return 0;
  const std::byte* const real = doing->memory->enter(at, bytes, writes, doing->who, *doing->before);
  return real - static_cast<const std::byte*>(at);
}

void enter_pinned(const void* at, std::size_t bytes) {
  if (doing == nullptr || doing->pinned->holds(at, bytes)) return;
  throw DeviceError("reads " + std::to_string(bytes) +
                    " bytes of the host's memory that are not pinned (any more)");
}

struct HostDevice::Impl {
  explicit Impl(Options the_options)
      : options(std::move(the_options)),
        memory(options.bytes),
        pinned(std::make_shared<PinnedMemory>(options.index)) {}

  // From now on no queued work runs; work that has begun continues.
  void lose() {
    lost = true;
    for (const auto& queue : queues) host.merge(queue->clock);
  }

  // True if some stream is running a piece of work. After a loss nothing begins any more, but
  // running work may still use memory of every stream that has waited for it.
  bool at_work() const {
    return std::any_of(queues.begin(), queues.end(), [](const auto& queue) { return queue->busy; });
  }

  // Locks the device; throws in a child of fork().
  std::unique_lock<std::mutex> enter() const {
    fork_guard.require(name);
    return std::unique_lock(mutex);
  }

  // Counts the call and returns its fault.
  Fault begin(const char* what, const char* kernel, int stream, Call& call) {
    call = {what, kernel, stream, calls++};
    if (lost) throw DeviceError(name + " is lost", true);
    const Fault fault = options.fault ? options.fault(call) : Fault::none;
    if (fault == Fault::refused)
      throw DeviceError(name + " refuses call " + std::to_string(call.number) + ", " + what);
    return fault;
  }

  void put(Queue& queue, const char* what, const char* kernel, Work work) {
    std::unique_lock lock = enter();
    if (lost) changed.wait(lock, [&] { return !at_work(); });
    work.fault = begin(what, kernel, queue.index, work.call);
    queue.clock.merge(host);
    if (work.waits_for != nullptr) queue.clock.merge(work.waits_for->clock);
    queue.clock.set(queue.index, ++queue.calls);
    work.who = {queue.index, queue.calls};
    work.before = queue.clock;
    if (work.records != nullptr) work.records->clock = queue.clock;
    queue.work.push_back(std::move(work));
    changed.notify_all();
  }

  bool ready(const Queue& queue) const {
    if (queue.busy || queue.work.empty()) return false;
    const RecordedPtr& other = queue.work.front().waits_for;
    return other == nullptr || other->over;
  }

  // Does the queue's next piece of work, which must be ready. A failure becomes the stream's error.
  void do_next(std::unique_lock<std::mutex>& lock, Queue& queue) noexcept {
    const Work work = std::move(queue.work.front());
    queue.work.pop_front();
    queue.busy = true;
    if (work.fault == Fault::lost) lose();
    std::string error = trouble([&]() -> std::string {
      if (work.waits_for != nullptr && !work.waits_for->error.empty()) return work.waits_for->error;
      if (work.fault != Fault::failed) return {};
      return name + " fails at call " + std::to_string(work.call.number);
    });
    const bool runs = work.run != nullptr && error.empty() && queue.error.empty() && !lost;
    lock.unlock();
    if (options.before) options.before(work.call);
    if (runs) {
      const Doing now{&memory, pinned.get(), work.who, &work.before};
      doing = &now;
      error = trouble([&] { return run(work, now); });
      doing = nullptr;
    }
    lock.lock();
    if (queue.error.empty()) queue.error = std::move(error);
    if (work.records != nullptr) {
      work.records->error = std::exchange(queue.error, {});
      work.records->lost = lost;
      work.records->when = std::chrono::steady_clock::now();
      work.records->over = true;
    }
    queue.busy = false;
    changed.notify_all();
  }

  static std::string run(const Work& work, const Doing& now) {
    try {
      work.run(now);
      return {};
    } catch (const std::exception& failure) {
      return std::string(work.call.what) + " " + work.call.kernel + ": " + failure.what();
    }
  }
  // Returns text(), an error message; its construction may run out of memory.
  template <class Text>
  static std::string trouble(const Text& text) noexcept {
    try {
      return text();
    } catch (...) {
      return "out of memory";  // a string this short needs no allocation
    }
  }

  void work_off(Queue& queue) {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return ready(queue) || (stopping && queue.work.empty()); });
      if (queue.work.empty()) return;
      do_next(lock, queue);
    }
  }

  const ForkGuard fork_guard;
  const Options options;
  const std::string name = "the stand-in for device " + std::to_string(options.index);
  HostMemory memory;
  const std::shared_ptr<PinnedMemory> pinned;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::unique_ptr<Queue>> queues;
  std::int64_t calls = 0;
  Clock host;  // the work that the host knows to be over
  std::vector<std::string> violations;
  bool lost = false, stopping = false;
  std::shared_ptr<Impl> stays;  // a reference to itself, in a child of fork()
};

namespace {

using Impl = HostDevice::Impl;

class HostEvent : public DeviceEvent {
 public:
  explicit HostEvent(Impl& device) : device_(device) {}
  bool over() override {
    const auto lock = device_.enter();
    if (device_.lost) {
      if (device_.at_work()) return false;
      throw DeviceError(device_.name + " is lost", true);
    }
    if (recorded == nullptr) return true;
    if (!recorded->over) return false;
    device_.host.merge(recorded->clock);
    if (!recorded->error.empty()) throw DeviceError(recorded->error, recorded->lost);
    return true;
  }
  RecordedPtr recorded;

 private:
  Impl& device_;
};

class HostStream : public DeviceStream {
 public:
  HostStream(Impl& device, Queue& queue) : device_(device), queue_(queue) {}

  void copy(void* to, const void* from, std::size_t bytes) override {
    put("copy", "", [&memory = device_.memory, to, from, bytes](const Doing& now) {
      const auto real = [&](const void* at, bool writes) {
        return memory.holds(at) ? memory.enter(at, bytes, writes, now.who, *now.before)
                                : static_cast<std::byte*>(const_cast<void*>(at));
      };
      const std::byte* const source = real(from, false);
      std::memmove(real(to, true), source, bytes);
    });
  }
  void copy_all(std::span<const DeviceCopy> copies) override {
    put("copy_all", "",
        [&memory = device_.memory,
         all = std::vector<DeviceCopy>(copies.begin(), copies.end())](const Doing& now) {
          for (const DeviceCopy& each : all) {
            enter_pinned(each.from, each.bytes);
            std::memcpy(memory.enter(each.to, each.bytes, true, now.who, *now.before), each.from,
                        each.bytes);
          }
        });
  }
  void fill(void* at, unsigned char value, std::size_t bytes) override {
    put("fill", "", [&memory = device_.memory, at, value, bytes](const Doing& now) {
      std::memset(memory.enter(at, bytes, true, now.who, *now.before), value, bytes);
    });
  }
  void launch(const Kernel& kernel, std::span<const std::byte> arguments) override {
    put("launch", kernel.name,
        [run = kernel.on_host, copy = std::vector<std::byte>(arguments.begin(), arguments.end())](
            const Doing&) { run(copy.data()); });
  }
  void record(DeviceEvent& event) override {
    auto& to = static_cast<HostEvent&>(event);
    Work work;
    work.records = std::make_shared<Recorded>();
    const RecordedPtr now = work.records;
    device_.put(queue_, "record", "", std::move(work));
    to.recorded = now;
  }
  void wait(DeviceEvent& event) override {
    const RecordedPtr& recorded = static_cast<HostEvent&>(event).recorded;
    if (recorded == nullptr) return;
    Work work;
    work.waits_for = recorded;
    device_.put(queue_, "wait", "", std::move(work));
  }
  void* native() override { return &queue_; }

 private:
  void put(const char* what, const char* kernel, std::function<void(const Doing&)> run) {
    Work work;
    work.run = std::move(run);
    device_.put(queue_, what, kernel, std::move(work));
  }

  Impl& device_;
  Queue& queue_;
};

class DeviceMemory : public MemoryResource {
 public:
  explicit DeviceMemory(std::shared_ptr<Impl> device)
      : MemoryResource({MemoryKind::device, device->options.index}), device_(std::move(device)) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    constexpr std::size_t kMost = 4096;
    if (alignment > kMost) throw std::bad_alloc();
    {
      const auto lock = device_->enter();
      HostDevice::Call call{};
      const HostDevice::Fault fault = device_->begin("allocate", "", -1, call);
      if (fault == HostDevice::Fault::lost) {
        device_->lose();
        throw DeviceError(device_->name + " is lost", true);
      }
      if (fault != HostDevice::Fault::none)
        throw none_left(device_->name, bytes, MemoryKind::device);
    }
    try {
      return device_->memory.allocate(bytes);
    } catch (const std::bad_alloc&) {
      throw none_left(device_->name, bytes, MemoryKind::device);
    }
  }
  void deallocate(void* at, std::size_t, std::size_t) noexcept override {
    if (!device_->fork_guard.here()) return;  // a child of fork() shares it with its parent
    const std::lock_guard lock(device_->mutex);
    std::string wrong = device_->memory.free(at, device_->host);
    try {
      if (!wrong.empty()) device_->violations.push_back(std::move(wrong));
    } catch (...) {  // no memory to report it
    }
  }

 private:
  const std::shared_ptr<Impl> device_;
};

// The JPEG engines of a HostDevice. The host decodes, and flips the lowest bit of each pixel value,
// so that tests see which pixels come from here. A batch with a damaged file is refused.
class HostJpegEngines : public JpegEngines {
 public:
  using JpegEngines::JpegEngines;
  const std::string& name() const override { return name_; }
  bool takes(std::span<const std::uint8_t> file) override;
  std::unique_ptr<Batch> make_batch(Device& device) override;

 private:
  class HostBatch;
  const std::string name_ = "JPEG engines of the stand-in";
};

class HostJpegEngines::HostBatch : public JpegEngines::Batch {
 public:
  HostBatch(HostJpegEngines& engines, Device& device)
      : Batch(device), engines_(engines), pinned_(device.pinned()) {}

 private:
  bool decode(DeviceStream& stream, std::span<const File> files) override {
    images_.clear();  // the images of the last batch are no longer used
    try {
      for (const File& file : files) images_.push_back(decoded(file));
    } catch (const Error&) {
      engines_.note(true);
      return false;
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      const File& file = files[i];
      const auto row = static_cast<std::size_t>(file.width) * 3;
      const std::byte* from = images_[i].data();
      for (std::int32_t y = 0; y < file.height; ++y, from += row)
        stream.copy(file.pixels + y * file.stride, from, row);
    }
    engines_.note(false);
    return true;
  }

  Buffer decoded(const File& file) {
    Image image;
    (void)decode_jpeg_image(file.bytes, {.apply_orientation = false}, image);
    if (image.height() != file.height || image.width() != file.width || image.channels() != 3)
      throw Error("the file's image is of another size");
    const std::size_t row = image.row_bytes();
    Buffer pixels = pinned_.allocate(row * static_cast<std::size_t>(file.height));
    auto* to = reinterpret_cast<std::uint8_t*>(pixels.data());
    for (int y = 0; y < image.height(); ++y, to += row) {
      const std::uint8_t* const from = image.row(y);
      std::transform(from, from + row, to,
                     [](std::uint8_t level) { return static_cast<std::uint8_t>(level ^ 1u); });
    }
    return pixels;
  }

  HostJpegEngines& engines_;
  BufferPool pinned_;
  std::vector<Buffer> images_;
};

bool HostJpegEngines::takes(std::span<const std::uint8_t> file) {
  const JpegHeader header = peek_jpeg(file);
  return !header.progressive && !header.arithmetic && !header.lossless && header.bits == 8;
}

std::unique_ptr<JpegEngines::Batch> HostJpegEngines::make_batch(Device& device) {
  return std::make_unique<HostBatch>(*this, device);
}

}  // namespace

HostDevice::HostDevice() : HostDevice(Options()) {}
HostDevice::HostDevice(Options options)
    : impl_(std::make_shared<Impl>(std::move(options))),
      memory_(std::make_shared<DeviceMemory>(impl_)),
      pinned_(impl_->pinned) {
  if (impl_->options.jpeg_places > 0)
    engines_ = std::make_unique<HostJpegEngines>(impl_->options.jpeg_places);
}

HostDevice::~HostDevice() {
  if (!impl_->fork_guard.here()) {  // the threads are the parent's: leave everything as it is
    impl_->stays = impl_;
    return;
  }
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->changed.notify_all();
  for (const auto& queue : impl_->queues) {
    if (queue->thread.joinable()) queue->thread.join();
  }
}

const std::string& HostDevice::name() const { return impl_->name; }
int HostDevice::index() const { return impl_->options.index; }
const std::shared_ptr<MemoryResource>& HostDevice::memory() { return memory_; }
const std::shared_ptr<MemoryResource>& HostDevice::pinned() { return pinned_; }
bool HostDevice::reads(const void* at, std::size_t n) const { return impl_->pinned->holds(at, n); }

JpegEngines* HostDevice::jpeg_engines(std::string* why_none) {
  return engines_ != nullptr ? engines_.get() : Device::jpeg_engines(why_none);
}

std::unique_ptr<DeviceStream> HostDevice::make_stream() {
  const auto lock = impl_->enter();
  auto queue = std::make_unique<Queue>();
  queue->index = static_cast<int>(impl_->queues.size());
  impl_->host.make_room(impl_->queues.size() + 1);
  Queue& made = *queue;
  auto stream = std::make_unique<HostStream>(*impl_, made);
  impl_->queues.push_back(std::move(queue));
  if (!impl_->options.manual)
    made.thread = std::thread([impl = impl_.get(), &made] { impl->work_off(made); });
  return stream;
}

std::unique_ptr<DeviceStream> HostDevice::borrow(void* native) {
  const auto lock = impl_->enter();
  for (const auto& queue : impl_->queues) {
    if (queue.get() == native) return std::make_unique<HostStream>(*impl_, *queue);
  }
  throw DeviceError(impl_->name + " has no such stream; give it native() of one of its own");
}

std::unique_ptr<DeviceEvent> HostDevice::make_event() {
  return std::make_unique<HostEvent>(*impl_);
}

double HostDevice::ms_between(DeviceEvent& from, DeviceEvent& to) {
  const auto lock = impl_->enter();
  const auto when = [&](DeviceEvent& event) {
    const RecordedPtr& recorded = static_cast<HostEvent&>(event).recorded;
    if (recorded == nullptr || !recorded->over)
      throw DeviceError(impl_->name + " is asked for the time of an event that is not over");
    return recorded->when;
  };
  return std::chrono::duration<double, std::milli>(when(to) - when(from)).count();
}

int HostDevice::streams() const {
  const auto lock = impl_->enter();
  return static_cast<int>(impl_->queues.size());
}

bool HostDevice::step(int stream) {
  std::unique_lock lock = impl_->enter();
  Queue& queue = *impl_->queues.at(static_cast<std::size_t>(stream));
  if (!impl_->ready(queue)) return false;
  impl_->do_next(lock, queue);
  return true;
}

std::size_t HostDevice::pending() const {
  const auto lock = impl_->enter();
  std::size_t all = 0;
  for (const auto& queue : impl_->queues) all += queue->work.size() + (queue->busy ? 1 : 0);
  return all;
}

std::size_t HostDevice::bytes_in_use() const { return impl_->memory.bytes_in_use(); }

std::vector<std::string> HostDevice::violations() const {
  const auto lock = impl_->enter();
  return impl_->violations;
}

}  // namespace sluice::device
