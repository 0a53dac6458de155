// The contract of every Device, tested on test_device().
#include "tests/cuda/test_device.h"
#include <sluice/runtime/memory.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace device_test {

// Host memory that the device reads and writes by itself, and memory of its own.
struct Memory {
  explicit Memory(const std::shared_ptr<Device>& device)
      : host(device->pinned()), own(device->memory()) {}
  BufferPool host, own;
};

void finish(DeviceStream& stream, DeviceEvent& event) {
  stream.record(event);
  while (!event.over()) {
  }
}

class DeviceTest : public ::testing::Test {
 protected:
  std::shared_ptr<Device> device_ = test_device();
  Memory memory_{device_};
};

TEST_F(DeviceTest, SaysWhatItIs) {
  EXPECT_NE(device_->name(), "");
  EXPECT_EQ(device_->memory()->place(), (MemoryPlace{MemoryKind::device, device_->index()}));
  EXPECT_EQ(device_->pinned()->place(), (MemoryPlace{MemoryKind::pinned, device_->index()}));
}

TEST_F(DeviceTest, CopiesThereAndWithinAndBack) {
  const auto stream = device_->make_stream();
  const auto event = device_->make_event();
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{1} << 20}) {
    const Buffer in = memory_.host.allocate(bytes), out = memory_.host.allocate(bytes);
    const Buffer a = memory_.own.allocate(bytes), b = memory_.own.allocate(bytes);
    std::iota(reinterpret_cast<std::uint8_t*>(in.data()),
              reinterpret_cast<std::uint8_t*>(in.data()) + bytes, std::uint8_t{3});
    stream->copy(a.data(), in.data(), bytes);
    stream->copy(b.data(), a.data(), bytes);
    stream->copy(out.data(), b.data(), bytes);
    finish(*stream, *event);
    EXPECT_EQ(std::memcmp(in.data(), out.data(), bytes), 0) << bytes;
    stream->fill(b.data(), 0x5A, bytes);
    stream->copy(out.data(), b.data(), bytes);
    finish(*stream, *event);
    EXPECT_EQ(static_cast<std::uint8_t>(out.data()[bytes - 1]), 0x5A) << bytes;
  }
}

TEST_F(DeviceTest, AStreamWaitsForWhatAnotherHasRecorded) {
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  const auto first = device_->make_stream(), second = device_->make_stream();
  const auto written = device_->make_event(), over = device_->make_event();
  const Buffer out = memory_.host.allocate(kBytes), at = memory_.own.allocate(kBytes);
  for (int round = 0; round < 20; ++round) {
    // The last round's read has ended: finish() has waited for it.
    first->fill(at.data(), static_cast<unsigned char>(round), kBytes);
    first->record(*written);
    second->wait(*written);
    second->copy(out.data(), at.data(), kBytes);
    finish(*second, *over);
    EXPECT_EQ(static_cast<int>(out.data()[0]), round);
    EXPECT_EQ(static_cast<int>(out.data()[kBytes - 1]), round);
  }
}

TEST_F(DeviceTest, AnEventThatWasNeverRecordedIsOver) {
  EXPECT_TRUE(device_->make_event()->over());
}

TEST_F(DeviceTest, MemoryThatThereIsNotIsBadAllocAndHurtsNothing) {
  EXPECT_THROW((void)device_->memory()->allocate(std::size_t{1} << 46, 256), std::bad_alloc);
  const auto stream = device_->make_stream();
  const auto event = device_->make_event();
  const Buffer at = memory_.own.allocate(64);
  stream->fill(at.data(), 1, 64);
  finish(*stream, *event);
}

TEST_F(DeviceTest, OneFailedCallDoesNotMakeTheNextFail) {
  const auto stream = device_->make_stream();
  const auto event = device_->make_event();
  const Kernel nothing{"nothing", [](const void*) { throw DeviceError("nothing to do"); }};
  const int argument = 0;
  try {
    stream->launch(nothing, std::as_bytes(std::span(&argument, 1)));
    finish(*stream, *event);
    ADD_FAILURE() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_FALSE(error.device_lost());
    EXPECT_NE(std::string(error.what()).find("noth"), std::string::npos) << error.what();
  }
  const Buffer at = memory_.own.allocate(64);
  stream->fill(at.data(), 1, 64);
  finish(*stream, *event);
}

TEST(Gpu, ThatThereIsNotIsRefusedWithTheReason) {
  const Gpus found = look_for_gpus();
  for (const int index : {-1, static_cast<int>(found.gpus.size())}) {
    try {
      (void)gpu(index);
      ADD_FAILURE() << index;
    } catch (const DeviceError& error) {
      const std::string says = error.what();
      EXPECT_NE(says.find(found.gpus.empty() ? found.why_none : "counted from 0"),
                std::string::npos)
          << says;
    }
  }
}

TEST(Gpu, IsTheSameForAsLongAsSomebodyHasIt) {
  const Gpus found = look_for_gpus();
  if (found.gpus.empty()) GTEST_SKIP() << found.why_none;
  const std::shared_ptr<Device> device = gpu(0);
  EXPECT_EQ(device, gpu(0));
}

}  // namespace device_test
}  // namespace sluice::device
