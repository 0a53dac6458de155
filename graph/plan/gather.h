// Gather: the work of some steps for many samples, put together on the host and then done by a
// device in one go: one upload, and for each step one launch for all samples.
//
// A step that runs on a device has a function like any other (see device_version.h), which runs on
// the host for one sample after the other: it makes the outputs, whose memory is the device's, and
// says what is to be done in a job. The jobs of all samples lie together in the step's StepLaunch;
// when the last sample is in, each writes what its kernels are told into the upload, and launches
// them. Nobody waits: over() says whether the device is through.
//
// Ownership: refers to the device and its pools, which outlive it; has a stream, an event, pinned
// memory and scratch of its own, which it keeps for the next gather. What jobs read and write lives
// until over() has said true. Threads: one at a time. Errors: DeviceError; std::bad_alloc; what a
// launch throws. After an error nothing of it is known to be over: call abandon().
#pragma once

#include <sluice/graph/options.h>
#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/device_guard.h>

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

class Gather;
class Sample;
struct Step;

// What one step of a gather has to do.
class StepLaunch {
 public:
  virtual ~StepLaunch() = default;
  // Forgets the jobs.
  virtual void clear() noexcept = 0;
  // All jobs are there: writes what is uploaded.
  virtual void write(Gather& gather) = 0;
  virtual void launch(DeviceStream& stream) = 0;
  // All steps have launched: copies to the host what check() looks at. In between, the kernels of
  // the next step would wait for the copy.
  virtual void tell(DeviceStream&) {}
  // The device is through: gives samples the numbers that it has computed for them, and tells the
  // gather of samples for which it cannot do the work after all, see Gather::give_back().
  virtual void check(Gather&) {}

 protected:
  // Of the jobs that are added next.
  const DeviceGuard& guard() const { return guard_; }

 private:
  friend class Gather;
  DeviceGuard guard_;
};

// What gathers have done so far, all together.
struct DeviceTally {
  std::atomic<std::int64_t> gathers{0}, samples{0};  // begun, and samples in them
  std::atomic<std::int64_t> as_graphs{0};            // gathers
  std::atomic<std::int64_t> bytes_up{0}, bytes_down{0};
  std::atomic<std::int64_t> given_back{0};  // samples
};

// Where a device's values and transfers have their memory.
struct DeviceMemory {
  // `most`: bytes of the device's own; 0: what there is. The device outlives it.
  explicit DeviceMemory(const std::shared_ptr<Device>& of, std::int64_t most = 0,
                        Decoder which = Decoder::exact);
  Device& device;
  const Decoder decoder;  // what steps may use
  BufferPool values;      // the device's own
  BufferPool pinned;      // of the host, for copies
  DeviceTally tally;

  // That of the pipeline which works on this thread. Throws std::logic_error where none does.
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

class Gather {
 public:
  // `for_each`: null to do all on the thread that calls launch().
  Gather(Device& device, DeviceMemory& memory, std::size_t steps, ForEach for_each = nullptr);
  // One that launches nothing: the step whose function runs does on the host what the device has
  // given back, and will find that done when it is added to a gather again.
  explicit Gather(DeviceMemory& memory);
  ~Gather();
  Gather(const Gather&) = delete;
  Gather& operator=(const Gather&) = delete;

  // Forgets all jobs, and begins with the device.
  void clear() noexcept;
  // The steps' functions may ask current(), on this thread and until the next call, for the gather;
  // jobs are those of step number `step`, for one sample.
  class Scope {
   public:
    Scope(Gather& gather, std::size_t step) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Gather* const before_;
  };
  // Throws std::logic_error outside of a Scope.
  static Gather& current();

  // What is added is done only if the device has chosen so.
  class Guarded {
   public:
    Guarded(Gather& gather, const DeviceGuard& guard) noexcept
        : gather_(gather), before_(std::exchange(gather.guard_, guard)) {}
    ~Guarded() { gather_.guard_ = before_; }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

   private:
    Gather& gather_;
    const DeviceGuard before_;
  };

  // The sample whose work is added; and whether the host shall do it.
  void begin_sample(Sample& sample) {
    sample_ = &sample;
    ++samples_;
  }
  Sample& sample() { return *sample_; }
  bool on_host() const { return stream_ == nullptr; }
  // For StepLaunch::check(): the device could not do this step, and the sample says so
  // (Sample::given_back).
  void give_back(Sample& sample, const Step& step);
  // After over(), once: what the steps' launches have to say.
  void check();

  // For steps. The launch of the step whose function runs, an L, which is made when it is asked for
  // first.
  template <class L>
  L& launch_of_step() {
    std::unique_ptr<StepLaunch>& launch = launches_[step_];
    if (launch == nullptr) launch = std::make_unique<L>();
    launch->guard_ = guard_;
    return static_cast<L&>(*launch);
  }
  // A number of a sample that a launch will tell, as the launch counts them; and which it is. The
  // launch is null for a number that none tells.
  struct Told {
    const float* number = nullptr;
    StepLaunch* launch = nullptr;
    std::size_t place = 0;
  };
  void will_tell(const Told& told) { told_.push_back(told); }
  Told told(const float& number) const;
  // Memory of the host whose bytes will be at `device` when the first launch begins. Aligned to 256
  // bytes, and good until the gather is over.
  struct Upload {
    std::byte* host = nullptr;
    std::byte* device = nullptr;
  };
  Upload upload(std::size_t bytes);
  // Device memory for the length of the gather, aligned to 256 bytes.
  std::byte* scratch(std::size_t bytes);
  BufferPool& pinned() { return memory_.pinned; }
  Device& device() { return memory_.device; }
  // For StepLaunch::write(). `f` must not throw.
  void each(std::size_t count, const std::function<void(std::size_t)>& f) const;
  // For the counts: what a step copies besides.
  void will_upload(std::size_t bytes) { bytes_up_ += static_cast<std::int64_t>(bytes); }
  void will_download(std::size_t bytes) { bytes_down_ += static_cast<std::int64_t>(bytes); }

  // For a trace: launches go through the timer.
  void time_with(std::unique_ptr<DeviceTimer> timer);

  // Uploads, launches step after step, and records the event.
  void launch();
  // Whether the device is through with it. Throws what went wrong there.
  bool over();
  // After an error: waits until the device does not touch the memory any more, or is lost.
  void abandon() noexcept;
  // The step that launch() was at when it threw; none when no step in particular failed, or nobody
  // knows which.
  std::optional<std::size_t> failed_step() const { return at_; }
  // Gives back the device's memory that it has kept for the next one. Only after clear().
  void let_go() noexcept;

 private:
  // Memory that is handed out from its beginning on.
  struct Chunk {
    Buffer host, device;
    std::size_t used = 0;
  };
  void count();
  std::byte* take(std::vector<Chunk>& chunks, std::size_t bytes, bool with_host, Chunk** from);

  DeviceMemory& memory_;
  const ForEach for_each_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> event_;
  std::vector<std::unique_ptr<StepLaunch>> launches_;
  std::unique_ptr<DeviceTimer> timer_;     // null: nobody wants to know
  std::vector<std::size_t> step_samples_;  // by step: how many come to it
  std::size_t step_ = 0;
  std::int64_t samples_ = 0, bytes_up_ = 0, bytes_down_ = 0;
  std::vector<Chunk> uploads_, scratch_;
  std::vector<Told> told_;
  DeviceGuard guard_;
  Sample* sample_ = nullptr;
  std::optional<std::size_t> at_;
};

}  // namespace sluice::detail
