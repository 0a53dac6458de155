// The loss of the stand-in device: when it is reported, and what may be released then.
#include <sluice/cuda/host_device.h>

#include <cstddef>
#include <future>
#include <string>

#include <gtest/gtest.h>

namespace sluice::device {
namespace host_device_loss_test {

using Fault = HostDevice::Fault;
using Call = HostDevice::Call;

constexpr std::size_t kBytes = 32, kAlignment = 256;

// A lost device never does its work, so no caller can wait for it.
TEST(LostHostDevice, MemoryMayBeFreed) {
  HostDevice device({.manual = true, .fault = [](const Call& call) {
                       return call.number == 3 ? Fault::lost : Fault::none;
                     }});
  const auto stream = device.make_stream(), other = device.make_stream();
  const auto event = device.make_event();
  void* const memory = device.memory()->allocate(kBytes, kAlignment);
  EXPECT_EQ(device.bytes_in_use(), 4096u);
  stream->fill(memory, 1, kBytes);
  stream->record(*event);
  other->record(*event);
  EXPECT_TRUE(device.step(1));
  EXPECT_THROW(event->over(), DeviceError);
  EXPECT_THROW(stream->fill(memory, 1, kBytes), DeviceError);
  device.memory()->deallocate(memory, kBytes, kAlignment);
  EXPECT_TRUE(device.violations().empty());
  EXPECT_EQ(device.bytes_in_use(), 0u);
}

// A stream that has joined another may use the same memory.
TEST(LostHostDevice, IsNotToldWhileSomeStreamIsAtWork) {
  std::promise<void> begun, goes_on;
  HostDevice device({.fault =
                         [](const Call& call) {
                           return std::string(call.what) == "record" ? Fault::lost : Fault::none;
                         },
                     .before =
                         [&](const Call& call) {
                           if (std::string(call.what) != "fill") return;
                           begun.set_value();
                           goes_on.get_future().wait();
                         }});
  const auto at_work = device.make_stream(), loses = device.make_stream();
  const auto event = device.make_event();
  void* const memory = device.memory()->allocate(kBytes, kAlignment);
  at_work->fill(memory, 1, kBytes);
  begun.get_future().wait();
  loses->record(*event);
  while (device.pending() > 1) {  // until it is lost
  }
  EXPECT_FALSE(event->over());
  goes_on.set_value();
  const auto told = [&] {
    while (!event->over()) {
    }
  };
  EXPECT_THROW(told(), DeviceError);
  device.memory()->deallocate(memory, kBytes, kAlignment);
  EXPECT_TRUE(device.violations().empty());
}

}  // namespace host_device_loss_test
}  // namespace sluice::device
