// The stand-in device on a host without free memory: failures are errors of the stream.
#include "tests/failing_allocations.h"
#include <sluice/cuda/device_view.h>
#include <sluice/cuda/host_device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice::device {
namespace host_device_memory_test {

using Fault = HostDevice::Fault;
using testing::FailingAllocations;

const Kernel kThrows{
    "throws", [](const void*) { throw std::runtime_error("a text that is too long to be short"); }};
const Kernel kThrowsANumber{"throws a number", [](const void*) { throw 7; }};
const Kernel kReadsNowhere{"reads nowhere", [](const void* argument) {
                             (void)device_view(*static_cast<std::byte* const*>(argument), 100000);
                           }};

struct Case {
  const char* name;
  Fault fault;
  const Kernel* kernel;
};
constexpr Case kCases[] = {{"a launch that fails", Fault::failed, &kThrows},
                           {"a device that is lost", Fault::lost, &kThrows},
                           {"a kernel that throws", Fault::none, &kThrows},
                           {"a kernel that throws a number", Fault::none, &kThrowsANumber},
                           {"a kernel that reads beyond", Fault::none, &kReadsNowhere}};

std::string told(DeviceEvent& event) {
  try {
    return event.over() ? "" : "not over";
  } catch (const DeviceError& error) {
    return error.what();
  }
}

// Each allocation during the work fails, one after the other.
TEST(HostDeviceWithoutMemory, WhatGoesWrongIsAnErrorOfTheStream) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    bool reached = true;
    for (std::uint64_t nth = 1; reached; ++nth) {
      ASSERT_LT(nth, 100u);
      HostDevice::Options how;
      how.manual = true;
      how.fault = [&](const HostDevice::Call& call) {
        return std::string(call.what) == "launch" ? c.fault : Fault::none;
      };
      HostDevice device(std::move(how));
      auto stream = device.make_stream();
      auto second = device.make_stream();
      auto event = device.make_event(), behind = device.make_event();
      std::byte* at = static_cast<std::byte*>(device.memory()->allocate(100, 64));
      stream->launch(*c.kernel, std::as_bytes(std::span(&at, 1)));
      if (c.fault != Fault::lost) {
        stream->record(*event);
        second->wait(*event);
        second->record(*behind);
      }
      {
        const FailingAllocations fail(nth);
        while (device.step(0) || device.step(1)) {
        }
        reached = FailingAllocations::reached();
      }
      EXPECT_NE(told(*event), "");
      EXPECT_NE(told(*behind), "");
      device.memory()->deallocate(at, 100, 64);
    }
  }
}

// Memory that is released, correctly or not.
TEST(HostDeviceWithoutMemory, TakesMemoryBack) {
  for (const bool twice : {false, true}) {
    for (std::uint64_t nth = 1; nth < 10; ++nth) {
      HostDevice device;
      std::vector<void*> all;
      for (int i = 0; i < 5; ++i) all.push_back(device.memory()->allocate(5000, 64));
      {
        const FailingAllocations fail(nth);
        for (const std::size_t i : {3u, 1u, 2u, 0u, 4u})
          device.memory()->deallocate(all[i], 5000, 64);
        if (twice) device.memory()->deallocate(all[2], 5000, 64);
      }
      EXPECT_EQ(device.bytes_in_use(), 0u);
      EXPECT_LE(device.violations().size(), twice ? 1u : 0u);
      device.memory()->deallocate(device.memory()->allocate(100, 64), 100, 64);
    }
  }
}

}  // namespace host_device_memory_test
}  // namespace sluice::device
