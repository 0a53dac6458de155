#include <sluice/runtime/device_timer.h>

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

constexpr const char* kCopy = "copy";

std::chrono::nanoseconds of_ms(double ms) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6));
}

}  // namespace

std::shared_ptr<const DeviceClock::Reference> DeviceClock::reference() noexcept {
  constexpr Clock::duration kGood = std::chrono::seconds(1), kAgain = std::chrono::milliseconds(20);
  const std::lock_guard lock(mutex_);
  const Time now = Clock::now();
  if (looked_ == Time() || now - looked_ > (reference_ != nullptr ? kGood : kAgain)) {
    looked_ = now;
    try {
      measure();
    } catch (...) {  // users of the device will get the error
    }
  }
  return reference_;
}

// The event was over between the time before it was recorded and the first check that saw it over.
// Takes the closest of several tries, and of that the middle.
void DeviceClock::measure() {
  constexpr int kTries = 5;
  constexpr Clock::duration kPatience = std::chrono::microseconds(200);
  if (stream_ == nullptr) stream_ = device_.make_stream();
  Clock::duration closest = Clock::duration::max();
  for (int i = 0; i < kTries; ++i) {
    auto event = device_.make_timed_event();
    const Time before = Clock::now();
    stream_->record(*event);
    bool over = false;
    Time after = before;
    while (!over && after - before < kPatience) {
      over = event->over();
      after = Clock::now();
    }
    if (!over) return;  // the device is busy
    if (after - before >= closest) continue;
    closest = after - before;
    reference_ =
        std::make_shared<const Reference>(Reference{std::move(event), before + closest / 2});
  }
}

DeviceStream& DeviceTimer::begin(DeviceStream& stream, std::size_t samples, bool ahead) noexcept {
  stream_ = &stream;
  ahead_ = ahead;
  samples_ = of_step_ = samples;
  step_ = kNoStep;
  parts_.clear();
  marked_ = 0;
  good_ = true;
  reference_ = clock_.reference();
  begun_ = Clock::now();
  return *this;
}

void DeviceTimer::mark() noexcept {
  if (!good_) return;
  try {
    if (marked_ == marks_.size()) marks_.push_back(clock_.device().make_timed_event());
    stream_->record(*marks_[marked_]);
    ++marked_;
  } catch (...) {  // the work goes on, without times
    good_ = false;
  }
}

void DeviceTimer::part(const char* what, std::int64_t bytes) noexcept {
  if (bytes >= 0 && !parts_.empty() && parts_.back().bytes >= 0 && parts_.back().step == step_) {
    parts_.back().bytes += bytes;
    return;
  }
  mark();
  try {
    parts_.push_back({what, step_, of_step_, bytes});
  } catch (...) {  // no memory
    good_ = false;
  }
}

void DeviceTimer::end() noexcept { mark(); }

void DeviceTimer::over() noexcept {
  if (!std::exchange(good_, false) || marked_ != parts_.size() + 1) return;
  try {
    read();
    done_(*this);
  } catch (...) {  // times are lost
  }
}

void DeviceTimer::read() {
  Device& device = clock_.device();
  DeviceEvent& last = *marks_[marked_ - 1];
  const Time seen = Clock::now();
  Time end = seen;
  if (reference_ != nullptr)
    end = std::min(end, reference_->at + of_ms(device.ms_between(*reference_->event, last)));
  // Nothing here was over before it was begun.
  end = std::max(end, begun_);
  Time floor = begun_;
  const auto when = [&](DeviceEvent& mark) {
    floor = std::clamp(end - of_ms(device.ms_between(mark, last)), floor, end);
    return floor;
  };
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].from = when(*marks_[i]);
    if (i > 0) parts_[i - 1].to = parts_[i].from;
  }
  to_ = end;
  from_ = parts_.empty() ? end : parts_.front().from;
  if (!parts_.empty()) parts_.back().to = end;
}

void DeviceTimer::copy(void* to, const void* from, std::size_t bytes) {
  part(kCopy, static_cast<std::int64_t>(bytes));
  stream_->copy(to, from, bytes);
}

void DeviceTimer::fill(void* at, unsigned char value, std::size_t bytes) {
  part("fill", -1);
  stream_->fill(at, value, bytes);
}

void DeviceTimer::copy_all(std::span<const DeviceCopy> copies) {
  std::size_t bytes = 0;
  for (const DeviceCopy& each : copies) bytes += each.bytes;
  part(kCopy, static_cast<std::int64_t>(bytes));
  stream_->copy_all(copies);
}

void DeviceTimer::launch(const Kernel& kernel, std::span<const std::byte> arguments) {
  part(kernel.name, -1);
  stream_->launch(kernel, arguments);
}

void* DeviceTimer::native() {
  part("library", -1);
  return stream_->native();
}

}  // namespace sluice
