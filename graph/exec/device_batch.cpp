// DeviceBatch: turns steps that run sample by sample into a few launches for many samples.
// device_batch.h has the contract.
//
// Problem: a GPU is fast only if each launch has much work. Four samples with three steps would be
// up to twelve small launches, and as many uploads. Samples also differ in size and in the branches
// that they take.
//
// Solution: the function of a device step starts no work. It makes the output in device memory, and
// adds a job to the step's StepLaunch. Example: samples 1 and 3 do not take the branch with `flip`.
//
//                 0 resize   1 flip    2 blur
//     sample 0    job        job       job       the host runs the functions row by row
//     sample 1    job                  job
//     sample 2    job        job       job
//     sample 3    job                  job
//                 4 jobs     2 jobs    4 jobs    the device runs the jobs column by column
//
// 1. The runner calls begin_sample(). It runs each step on the sample's path within a Scope, which
//    makes this DeviceBatch current() on the thread. launch_of_step() returns the step's
//    StepLaunch.
// 2. launch() lets each StepLaunch write its jobs to memory from upload(). This memory exists
//    twice: pinned on the host, and on the device. So jobs may contain device addresses before the
//    copy.
// 3. launch() then enqueues one copy for each chunk of uploads, and the kernels, step after step.
//    All of it runs in one stream. So a step reads what the steps before it have written.
// 4. Copies to the host follow (tell()), and then the event that over() queries.
// 5. After over(), check() passes computed numbers to their samples. It also marks the samples with
//    a step that the device could not do. The host does this step, and the sample is added again.
//
// If a branch depends on a number of the same GPU batch, told() finds the launch that computes it.
// Both branches then add jobs, and a DeviceGuard lets the device run those of one. If that is not
// possible, the sample stops there, and continues in another GPU batch.
//
// Invariants:
// - The device runs the steps in the order of their numbers.
// - Chunks are handed out from the front, and kept. clear() makes them free again. So it is called
//   only if the device does not use them: before launch(), or after over() or abandon().
// - There is no lock. A thread of the graph adds samples and launches. The poller's thread calls
//   over(), or tries to launch again if memory was short. stream_node never runs both at once.
// - each() uses more threads, and returns when they are done. All GPU batches of a pipeline share
//   the DeviceCounters, so its counts are atomic.
//
// Errors: if launch() throws, work may already run; the caller calls abandon(), and failed_step()
// names the step if it is known. Cancellation does not stop a launched GPU batch: the device uses
// its memory until over().
//
// Read launch() first, then take(). Runner::collect() in graph/exec/runner_device_batch.cpp adds
// samples.
#include <sluice/graph/exec/device_batch.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/device_timer.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace sluice::detail {
namespace {

constexpr std::size_t kAligned = 256;
constexpr std::size_t kChunk = std::size_t{1} << 20;

constinit thread_local DeviceBatch* innermost = nullptr;
constinit thread_local DeviceMemory* current_memory = nullptr;

}  // namespace

DeviceMemory::DeviceMemory(const std::shared_ptr<Device>& of, std::int64_t most, Decoder which)
    : device(*of),
      decoder(which),
      values(most > 0 ? limited(of->memory(), static_cast<std::size_t>(most),
                                "make window or batch_size smaller, or max_device_bytes larger")
                      : of->memory()),
      pinned(of->pinned()) {}

DeviceMemory& DeviceMemory::current() {
  if (current_memory == nullptr) throw std::logic_error("there is no device's memory here");
  return *current_memory;
}
DeviceMemory::Scope::Scope(DeviceMemory* memory) noexcept
    : before_(std::exchange(current_memory, memory)) {}
DeviceMemory::Scope::~Scope() { current_memory = before_; }

DeviceBatch::DeviceBatch(Device& device, DeviceMemory& memory, std::size_t steps, ForEach for_each)
    : memory_(memory),
      for_each_(for_each),
      stream_(device.make_stream()),
      event_(device.make_event()),
      launches_(steps),
      step_samples_(steps) {}

DeviceBatch::DeviceBatch(DeviceMemory& memory)
    : memory_(memory), for_each_(nullptr), launches_(1), step_samples_(1) {}

DeviceBatch::~DeviceBatch() = default;

DeviceBatch::Scope::Scope(DeviceBatch& device_batch, std::size_t step) noexcept
    : before_(std::exchange(innermost, &device_batch)) {
  device_batch.step_ = step;
  ++device_batch.step_samples_[step];
}
DeviceBatch::Scope::~Scope() { innermost = before_; }

DeviceBatch& current_device_batch() { return DeviceBatch::current(); }
DeviceMemory& current_device_memory() { return DeviceMemory::current(); }

DeviceBatch& DeviceBatch::current() {
  if (innermost == nullptr) throw std::logic_error("a device step runs outside of a GPU batch");
  return *innermost;
}

void DeviceBatch::clear() noexcept {
  for (const std::unique_ptr<StepLaunch>& launch : launches_) {
    if (launch != nullptr) launch->clear();
  }
  for (std::vector<Chunk>* chunks : {&uploads_, &scratch_}) {
    for (Chunk& chunk : *chunks) chunk.used = 0;
  }
  told_.clear();
  std::fill(step_samples_.begin(), step_samples_.end(), 0);
  at_.reset();
  samples_ = bytes_up_ = bytes_down_ = 0;
}

void DeviceBatch::time_with(std::unique_ptr<DeviceTimer> timer) { timer_ = std::move(timer); }

void DeviceBatch::count(bool ahead) {
  for (const Chunk& chunk : uploads_) will_upload(chunk.used);
  DeviceCounters& counters = memory_.counters;
  const auto add = [](std::atomic<std::int64_t>& sum, std::int64_t more) {
    sum.fetch_add(more, std::memory_order_relaxed);
  };
  add(counters.batches, samples_ == 0 ? 0 : 1);
  add(counters.samples, samples_);
  add(counters.ahead, samples_ > 0 && ahead ? 1 : 0);
  std::int64_t most = counters.largest.load(std::memory_order_relaxed);
  while (most < samples_ && !counters.largest.compare_exchange_weak(most, samples_)) {
  }
  add(counters.bytes_up, bytes_up_);
  add(counters.bytes_down, bytes_down_);
}

void DeviceBatch::give_back(Sample& sample, const Step& step) {
  // Keeps the first of several steps: the others are tried again when the sample is added again.
  if (sample.given_back != nullptr) return;
  sample.given_back = &step;
  memory_.counters.given_back.fetch_add(1, std::memory_order_relaxed);
}

void DeviceBatch::check() {
  for (const std::unique_ptr<StepLaunch>& launch : launches_) {
    if (launch != nullptr) launch->check(*this);
  }
}

void DeviceBatch::each(std::size_t count, const std::function<void(std::size_t)>& f) const {
  if (for_each_ != nullptr) {
    for_each_(count, f);
  } else {
    for (std::size_t i = 0; i < count; ++i) f(i);
  }
}

DeviceBatch::Told DeviceBatch::told(const float& number) const {
  // Searches from the end, because the current sample's numbers are the last ones.
  const auto found = std::find_if(told_.rbegin(), told_.rend(),
                                  [&](const Told& each) { return each.number == &number; });
  return found == told_.rend() ? Told() : *found;
}

std::byte* DeviceBatch::take(std::vector<Chunk>& chunks, std::size_t bytes, bool with_host,
                             Chunk** from) {
  bytes = (bytes + kAligned - 1) / kAligned * kAligned;
  auto chunk = std::find_if(chunks.begin(), chunks.end(), [&](const Chunk& each) {
    return each.device.size() - each.used >= bytes;
  });
  if (chunk == chunks.end()) {
    // Relies on device blocks that begin at multiples of 256, though the pool asks only for 64.
    const std::size_t size = std::max(std::bit_ceil(bytes), kChunk);
    Chunk made;
    made.device = memory_.values.allocate(size);
    if (with_host) made.host = memory_.pinned.allocate(size);
    chunks.push_back(std::move(made));
    chunk = chunks.end() - 1;
  }
  std::byte* const at = chunk->device.data() + chunk->used;
  *from = &*chunk;
  chunk->used += bytes;
  return at;
}

DeviceBatch::Upload DeviceBatch::upload(std::size_t bytes) {
  Chunk* chunk = nullptr;
  std::byte* const device = take(uploads_, bytes, true, &chunk);
  return {chunk->host.data() + (device - chunk->device.data()), device};
}

std::byte* DeviceBatch::scratch(std::size_t bytes) {
  Chunk* chunk = nullptr;
  return take(scratch_, bytes, false, &chunk);
}

void DeviceBatch::launch(bool ahead) {
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    at_ = i;
    if (launches_[i] != nullptr) launches_[i]->write(*this);
  }
  at_.reset();
  count(ahead);
  DeviceStream& stream = timer_ != nullptr
                             ? timer_->begin(*stream_, static_cast<std::size_t>(samples_), ahead)
                             : *stream_;
  stream.begin_chain();
  for (const Chunk& chunk : uploads_) {
    if (chunk.used > 0) stream.copy(chunk.device.data(), chunk.host.data(), chunk.used);
  }
  const auto for_each_step = [&](void (StepLaunch::*work)(DeviceStream&)) {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      if (launches_[i] == nullptr) continue;
      at_ = i;
      if (timer_ != nullptr) timer_->in_step(i, step_samples_[i]);
      ((*launches_[i]).*work)(stream);
    }
  };
  for_each_step(&StepLaunch::launch);
  for_each_step(&StepLaunch::tell);
  at_.reset();
  if (stream.end_chain()) memory_.counters.as_graphs.fetch_add(1, std::memory_order_relaxed);
  if (timer_ != nullptr) timer_->end();
  stream_->record(*event_);
}

bool DeviceBatch::over() {
  if (!event_->over()) return false;
  if (timer_ != nullptr) timer_->over();
  return true;
}

void DeviceBatch::abandon() noexcept { sluice::drain_stream(*stream_, *event_); }

void DeviceBatch::let_go() noexcept {
  uploads_.clear();
  scratch_.clear();
}

}  // namespace sluice::detail
