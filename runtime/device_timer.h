// DeviceTimer: a stream that forwards its work to another stream, and records when the device did
// it, in host time. For traces.
//
//   DeviceClock clock(device);                       // for any number of timers
//   DeviceTimer timer(clock, [](const DeviceTimer& done) { ...done.parts()... });
//   DeviceStream& timed = timer.begin(stream, 12);   // a dozen samples
//   timed.copy(...); timed.launch(kernel, ...);
//   timer.end();  stream.record(event);
//   if (event.over()) timer.over();                  // calls the function
//
// A timed event separates two parts. A part is a launch, or consecutive copies. The offset between
// the device's clock and the host's is measured once a second, with an event on a separate stream.
// In addition, no part is reported to begin before it was launched, or to end after it was seen to
// be over.
//
// Ownership: a clock refers to its device, a timer to its clock; both own their events. Threads: a
// clock any, a timer one at a time. Errors: none; work that could not be timed is not reported.
#pragma once

#include <sluice/runtime/device.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

class DeviceClock {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  explicit DeviceClock(Device& device) : device_(device) {}

  // A timed event that is over, and when that was.
  struct Reference {
    std::unique_ptr<DeviceEvent> event;
    Time at;
  };
  // Returns a reference of the last second, or the last one that could be measured; null if there
  // is none yet. A measurement takes some microseconds, and gives up after a fraction of a
  // millisecond.
  std::shared_ptr<const Reference> reference() noexcept;

  Device& device() { return device_; }

 private:
  void measure();

  Device& device_;
  std::mutex mutex_;
  std::unique_ptr<DeviceStream> stream_;
  std::shared_ptr<const Reference> reference_;
  Time looked_ = {};
};

class DeviceTimer : public DeviceStream {
 public:
  using Clock = DeviceClock::Clock;
  using Time = DeviceClock::Time;
  static constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

  struct Part {
    const char* what = "";  // the kernel's name, or "copy", "fill", or "library": see native()
    std::size_t step = kNoStep;
    std::size_t samples = 0;  // in the step
    std::int64_t bytes = -1;  // of copies
    Time from = {}, to = {};
  };

  // `done` is called by over().
  DeviceTimer(DeviceClock& clock, std::function<void(const DeviceTimer&)> done)
      : clock_(clock), done_(std::move(done)) {}

  // Returns the timer itself: use it as the stream until end(). `ahead`: see ahead().
  DeviceStream& begin(DeviceStream& stream, std::size_t samples, bool ahead = false) noexcept;
  // The work that follows belongs to this step, which processes `samples` of the samples.
  void in_step(std::size_t step, std::size_t samples) noexcept {
    step_ = step;
    of_step_ = samples;
  }
  void end() noexcept;
  // Call it when all work that was put into the stream until end() is over.
  void over() noexcept;

  // Results, for `done`.
  std::size_t samples() const { return samples_; }
  // As the caller said of the work: it was begun ahead of need.
  bool ahead() const { return ahead_; }
  Time from() const { return from_; }
  Time to() const { return to_; }
  const std::vector<Part>& parts() const { return parts_; }

  void copy(void* to, const void* from, std::size_t bytes) override;
  void fill(void* at, unsigned char value, std::size_t bytes) override;
  void copy_all(std::span<const DeviceCopy> copies) override;
  void launch(const Kernel& kernel, std::span<const std::byte> arguments) override;
  void record(DeviceEvent& event) override { stream_->record(event); }
  void wait(DeviceEvent& event) override { stream_->wait(event); }
  void* native() override;

 private:
  void part(const char* what, std::int64_t bytes) noexcept;
  void mark() noexcept;
  void read();

  DeviceClock& clock_;
  const std::function<void(const DeviceTimer&)> done_;
  DeviceStream* stream_ = nullptr;
  std::shared_ptr<const DeviceClock::Reference> reference_;
  std::vector<std::unique_ptr<DeviceEvent>> marks_;  // at the beginning of each part, and the end
  std::size_t marked_ = 0;
  std::vector<Part> parts_;
  std::size_t step_ = kNoStep, samples_ = 0, of_step_ = 0;
  bool ahead_ = false;
  bool good_ = false;  // all marks have been set
  Time begun_ = {}, from_ = {}, to_ = {};
};

}  // namespace sluice
