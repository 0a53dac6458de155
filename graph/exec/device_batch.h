// DeviceBatch: a GPU batch, the work of some steps for many samples. The host collects it, and a
// device does it together: one upload, then one launch for each step and all samples.
//
// A device step has a function like any other step (see declare_operator.h). It runs on the host,
// for one sample after the other. It makes the outputs in device memory and describes the work as a
// job. The step's StepLaunch holds the jobs of all samples. After the last sample, each StepLaunch
// writes its kernels' parameters into the upload and launches the kernels. No thread waits: over()
// tells whether the device is done.
//
// Ownership: refers to the device and its pools, which outlive it. Owns a stream, an event, pinned
// memory and scratch, which it keeps for the next GPU batch. The memory that jobs read and write
// must live until over() has returned true. Threads: one at a time. Errors: DeviceError;
// std::bad_alloc; what a launch throws. After an error its work may still be running: call
// abandon().
#pragma once

#include <sluice/graph/options.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/memory.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sluice {
class DeviceTimer;
}

namespace sluice::detail {

class DeviceBatch;
class Sample;
struct Step;

// The work of one step of a GPU batch.
class StepLaunch {
 public:
  virtual ~StepLaunch() = default;
  // Forgets the jobs.
  virtual void clear() noexcept = 0;
  // Called when all jobs have been added. Writes the data that is uploaded.
  virtual void write(DeviceBatch& device_batch) = 0;
  virtual void launch(DeviceStream& stream) = 0;
  // Called after all steps have launched. Copies to the host what check() reads. A copy between the
  // launches would delay the kernels of the next step.
  virtual void tell(DeviceStream&) {}
  // Called when the device is done. Passes the numbers that it has computed to their samples, and
  // reports samples that it could not process, see DeviceBatch::give_back().
  virtual void check(DeviceBatch&) {}

 protected:
  // The guard of the jobs that are added next.
  const DeviceGuard& guard() const { return guard_; }

 private:
  friend class DeviceBatch;
  DeviceGuard guard_;
};

// Totals of all GPU batches so far.
struct DeviceCounters {
  std::atomic<std::int64_t> batches{0}, samples{0};  // launched, and samples in them
  std::atomic<std::int64_t> largest{0};              // the most samples in one
  std::atomic<std::int64_t> ahead{0};      // launched while the consumer did not wait for a batch
  std::atomic<std::int64_t> as_graphs{0};  // GPU batches launched as graphs
  std::atomic<std::int64_t> bytes_up{0}, bytes_down{0};
  std::atomic<std::int64_t> given_back{0};  // samples that the host had to process
};

// The memory for a device's values and transfers.
struct DeviceMemory {
  // `most` limits the bytes of device memory; 0 means no limit. The device outlives this object.
  explicit DeviceMemory(const std::shared_ptr<Device>& of, std::int64_t most = 0,
                        Decoder which = Decoder::exact);
  Device& device;
  const Decoder decoder;  // the decoder that steps may use
  BufferPool values;      // device memory
  BufferPool pinned;      // pinned host memory, for copies
  DeviceCounters counters;

  // Returns the DeviceMemory of the pipeline that works on this thread. Throws std::logic_error if
  // none does.
  static DeviceMemory& current();
  class Scope {
   public:
    explicit Scope(DeviceMemory* memory) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    DeviceMemory* const before_;
  };
};

// Calls f(0) to f(count - 1), perhaps on several threads at once; returns when all have.
using ForEach = void (*)(std::size_t count, const std::function<void(std::size_t)>& f);

class DeviceBatch {
 public:
  // With a null `for_each`, everything runs on the thread that calls launch().
  DeviceBatch(Device& device, DeviceMemory& memory, std::size_t steps, ForEach for_each = nullptr);
  // Makes a DeviceBatch that launches nothing. Within it, a step's function does on the host the
  // work that the device could not do. It finds that work done when it is added to a GPU batch
  // again.
  explicit DeviceBatch(DeviceMemory& memory);
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  // Forgets all jobs and resets the state for the next GPU batch.
  void clear() noexcept;
  // While a Scope lives, current() on this thread returns the GPU batch, and jobs are added to step
  // number `step`, for one sample.
  class Scope {
   public:
    Scope(DeviceBatch& device_batch, std::size_t step) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    DeviceBatch* const before_;
  };
  // Throws std::logic_error outside of a Scope.
  static DeviceBatch& current();

  // While a Guarded lives, added jobs run only if the device has chosen their branch.
  class Guarded {
   public:
    Guarded(DeviceBatch& device_batch, const DeviceGuard& guard) noexcept
        : device_batch_(device_batch), before_(std::exchange(device_batch.guard_, guard)) {}
    ~Guarded() { device_batch_.guard_ = before_; }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

   private:
    DeviceBatch& device_batch_;
    const DeviceGuard before_;
  };

  // begin_sample() sets the sample whose work is added next. on_host() is true if the host does the
  // work.
  void begin_sample(Sample& sample) {
    sample_ = &sample;
    ++samples_;
  }
  Sample& sample() { return *sample_; }
  bool on_host() const { return stream_ == nullptr; }
  // For StepLaunch::check(): records in Sample::given_back that the device could not do this step.
  void give_back(Sample& sample, const Step& step);
  // Calls StepLaunch::check() of all steps. Call it once, after over().
  void check();

  // For steps: returns the StepLaunch of the step whose function runs. It is an L, and is made by
  // the first call.
  template <class L>
  L& launch_of_step() {
    std::unique_ptr<StepLaunch>& launch = launches_[step_];
    if (launch == nullptr) launch = std::make_unique<L>();
    launch->guard_ = guard_;
    return static_cast<L&>(*launch);
  }
  // A number of a sample that the device computes: `launch` delivers it as its number `place`. The
  // launch is null for a number that no launch computes.
  struct Told {
    const float* number = nullptr;
    StepLaunch* launch = nullptr;
    std::size_t place = 0;
  };
  void will_tell(const Told& told) { told_.push_back(told); }
  Told told(const float& number) const;
  // Host memory whose bytes are copied to `device` before the first launch begins. `device` is
  // aligned to 256 bytes. Both are valid until the GPU batch is over.
  struct Upload {
    std::byte* host = nullptr;
    std::byte* device = nullptr;
  };
  Upload upload(std::size_t bytes);
  // Returns device memory that is valid until the GPU batch is over, aligned to 256 bytes.
  std::byte* scratch(std::size_t bytes);
  BufferPool& pinned() { return memory_.pinned; }
  Device& device() { return memory_.device; }
  // For StepLaunch::write(): calls f(0) to f(count - 1), perhaps on several threads. `f` must not
  // throw.
  void each(std::size_t count, const std::function<void(std::size_t)>& f) const;
  // For the counts: bytes that a step copies in addition to the upload.
  void will_upload(std::size_t bytes) { bytes_up_ += static_cast<std::int64_t>(bytes); }
  void will_download(std::size_t bytes) { bytes_down_ += static_cast<std::int64_t>(bytes); }

  // For a trace: makes launches go through the timer.
  void time_with(std::unique_ptr<DeviceTimer> timer);

  // Uploads, launches step after step, and records the event that over() queries. `ahead`: the
  // consumer does not wait for a batch, see DeviceDemand; for statistics and traces.
  void launch(bool ahead = false);
  // True if the device is done. Throws the error if the device failed.
  bool over();
  // After an error: waits until the device no longer touches the memory, or is lost.
  void abandon() noexcept;
  // The step that launch() was at when it threw; empty if the error belongs to no step or the step
  // is not known.
  std::optional<std::size_t> failed_step() const { return at_; }
  // Releases the device memory that it keeps for the next GPU batch. Only after clear().
  void let_go() noexcept;

 private:
  // Memory that is handed out from the front.
  struct Chunk {
    Buffer host, device;
    std::size_t used = 0;
  };
  void count(bool ahead);
  std::byte* take(std::vector<Chunk>& chunks, std::size_t bytes, bool with_host, Chunk** from);

  DeviceMemory& memory_;
  const ForEach for_each_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> event_;
  std::vector<std::unique_ptr<StepLaunch>> launches_;
  std::unique_ptr<DeviceTimer> timer_;     // null: launches are not timed
  std::vector<std::size_t> step_samples_;  // by step: the number of its samples
  std::size_t step_ = 0;
  std::int64_t samples_ = 0, bytes_up_ = 0, bytes_down_ = 0;
  std::vector<Chunk> uploads_, scratch_;
  std::vector<Told> told_;
  DeviceGuard guard_;
  Sample* sample_ = nullptr;
  std::optional<std::size_t> at_;
};

}  // namespace sluice::detail
