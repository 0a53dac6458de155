// Timed events, and a timer's results from them: which work the device did when, in the host's
// time.
#include "tests/cuda/test_device.h"
#include <sluice/runtime/device_timer.h>
#include <sluice/runtime/memory.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace timer_test {

constexpr std::size_t kBytes = 4096;

void wait_for(DeviceEvent& event) {
  while (!event.over()) std::this_thread::yield();
}

struct Work {
  explicit Work(Device& device)
      : memory(device.memory()),
        pinned(device.pinned()),
        there(memory.allocate(kBytes)),
        here(pinned.allocate(kBytes)),
        stream(device.make_stream()),
        event(device.make_event()) {}
  void copy_there(DeviceStream& to) const { to.copy(there.data(), here.data(), kBytes); }
  BufferPool memory, pinned;
  Buffer there, here;
  std::unique_ptr<DeviceStream> stream;
  std::unique_ptr<DeviceEvent> event;
};

TEST(TimedEvents, TellWhatLiesBetweenThem) {
  const auto device = test_device();
  const Work work(*device);
  const auto first = device->make_timed_event(), second = device->make_timed_event(),
             third = device->make_timed_event();
  work.stream->record(*first);
  work.copy_there(*work.stream);
  work.stream->record(*second);
  work.copy_there(*work.stream);
  work.stream->record(*third);
  wait_for(*third);
  const double one = device->ms_between(*first, *second), all = device->ms_between(*first, *third);
  EXPECT_GE(one, 0);
  EXPECT_GE(all, one);
}

TEST(TimedEvents, OfTheStandInMustBeOver) {
  HostDevice device({.manual = true});
  const auto stream = device.make_stream();
  const auto first = device.make_timed_event(), second = device.make_timed_event();
  EXPECT_THROW((void)device.ms_between(*first, *second), DeviceError);
  stream->record(*first);
  stream->record(*second);
  EXPECT_TRUE(device.step(0));
  EXPECT_THROW((void)device.ms_between(*first, *second), DeviceError);
  EXPECT_TRUE(device.step(0));
  EXPECT_GE(device.ms_between(*first, *second), 0);
}

// The listener's record of one run of a timer.
struct Told {
  int times = 0;
  std::size_t samples = 0;
  DeviceTimer::Time from, to;
  std::vector<DeviceTimer::Part> parts;
  std::function<void(const DeviceTimer&)> listener() {
    return [this](const DeviceTimer& timer) {
      ++times;
      samples = timer.samples();
      from = timer.from();
      to = timer.to();
      parts = timer.parts();
    };
  }
};

void expect_in_order(const Told& told, DeviceTimer::Time begun, DeviceTimer::Time seen) {
  ASSERT_FALSE(told.parts.empty());
  EXPECT_LE(begun, told.from);
  EXPECT_LE(told.to, seen);
  EXPECT_EQ(told.parts.front().from, told.from);
  EXPECT_EQ(told.parts.back().to, told.to);
  for (std::size_t i = 0; i < told.parts.size(); ++i) {
    EXPECT_LE(told.parts[i].from, told.parts[i].to) << i;
    if (i > 0) {
      EXPECT_EQ(told.parts[i - 1].to, told.parts[i].from) << i;
    }
  }
}

TEST(DeviceTimerTest, TellsEachPartInTheHostsTime) {
  const auto device = test_device();
  const Work work(*device);
  DeviceClock clock(*device);
  Told told;
  DeviceTimer timer(clock, told.listener());
  for (int i = 1; i <= 3; ++i) {
    const auto begun = DeviceTimer::Clock::now();
    DeviceStream& timed = timer.begin(*work.stream, 5);
    work.copy_there(timed);
    timer.in_step(0, 3);
    timed.fill(work.there.data(), 7, kBytes);
    work.copy_there(timed);
    work.copy_there(timed);  // joins the one before
    timer.in_step(1, 2);
    const DeviceCopy half{work.there.data(), work.here.data(), kBytes / 2};
    const DeviceCopy both[] = {half, half};
    timed.copy_all(both);
    timer.end();
    work.stream->record(*work.event);
    wait_for(*work.event);
    timer.over();
    timer.over();  // reported once
    expect_in_order(told, begun, DeviceTimer::Clock::now());
    EXPECT_EQ(told.times, i);
    EXPECT_EQ(told.samples, 5u);
    ASSERT_EQ(told.parts.size(), 4u);
    const std::size_t none = DeviceTimer::kNoStep;
    const std::int64_t bytes = kBytes;
    const struct {
      std::string what;
      std::size_t step, samples;
      std::int64_t bytes;
    } expected[] = {{"copy", none, 5, bytes},
                    {"fill", 0, 3, -1},
                    {"copy", 0, 3, 2 * bytes},
                    {"copy", 1, 2, bytes}};
    for (std::size_t k = 0; k < told.parts.size(); ++k) {
      EXPECT_EQ(told.parts[k].what, expected[k].what) << k;
      EXPECT_EQ(told.parts[k].step, expected[k].step) << k;
      EXPECT_EQ(told.parts[k].samples, expected[k].samples) << k;
      EXPECT_EQ(told.parts[k].bytes, expected[k].bytes) << k;
    }
  }
  while (clock.reference() == nullptr) std::this_thread::yield();  // it may take several tries
}

// A device that does not answer has no place in the host's time: its work ends when the end is
// noticed.
TEST(DeviceTimerTest, TellsWithoutAReference) {
  HostDevice device({.manual = true});
  const Work work(device);
  DeviceClock clock(device);
  Told told;
  DeviceTimer timer(clock, told.listener());
  const auto begun = DeviceTimer::Clock::now();
  work.copy_there(timer.begin(*work.stream, 1));
  EXPECT_EQ(clock.reference(), nullptr);
  timer.end();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(device.step(0)) << i;
  const auto over = DeviceTimer::Clock::now();
  timer.over();
  EXPECT_EQ(told.times, 1);
  expect_in_order(told, begun, DeviceTimer::Clock::now());
  EXPECT_LE(over, told.to);
}

// Work that could not be timed is done all the same, but not reported.
TEST(DeviceTimerTest, GoesOnWhereEventsAreRefused) {
  for (int refused = 0; refused < 4; ++refused) {
    int records = 0;
    bool on = false;
    HostDevice device({.fault = [&](const HostDevice::Call& call) {
      const bool record = on && std::string(call.what) == "record";
      return record && records++ == refused ? HostDevice::Fault::refused : HostDevice::Fault::none;
    }});
    const Work work(device);
    DeviceClock clock(device);
    (void)clock.reference();
    on = true;
    Told told;
    DeviceTimer timer(clock, told.listener());
    DeviceStream& timed = timer.begin(*work.stream, 1);
    work.copy_there(timed);
    timed.fill(work.there.data(), 1, kBytes);
    timer.end();
    on = false;
    work.stream->record(*work.event);
    wait_for(*work.event);
    timer.over();
    EXPECT_EQ(told.times, refused == 3 ? 1 : 0) << refused;
    EXPECT_TRUE(device.violations().empty());
  }
}

}  // namespace timer_test
}  // namespace sluice::device
