// A stand-in for nvJPEG and its GPU: the library of fake_nvjpeg.h, and a device whose memory is the
// host's.
//
// Threads: one.
#pragma once

#include "tests/fake_nvjpeg.h"
#include <sluice/runtime/device.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace sluice::app {

using testing::FakeNvjpeg;
using testing::FakeStream;

// Returns the state of the library that open_nvjpeg() loaded: the library stays open.
inline FakeNvjpeg& fake_of_library() {
  void* const library = dlopen(SLUICE_FAKE_NVJPEG, RTLD_NOW);
  const auto get =
      reinterpret_cast<testing::FakeNvjpegOf>(library ? dlsym(library, "fake_nvjpeg") : nullptr);
  if (get == nullptr) throw Error("the library of the tests is not there");
  return *get();
}

// The work before the event is over at the second call of over().
class PlainEvent : public DeviceEvent {
 public:
  explicit PlainEvent(FakeNvjpeg& fake) : fake_(fake) {}
  bool over() override {
    if (stream_ == nullptr || --asks_ > 0) return stream_ == nullptr;
    fake_.under_way -= stream_->under_way;
    stream_->under_way = 0;
    stream_ = nullptr;
    return true;
  }
  void record(FakeStream& stream) {
    asks_ = 2;
    stream_ = &stream;
  }

 private:
  FakeNvjpeg& fake_;
  FakeStream* stream_ = nullptr;
  int asks_ = 0;
};

class PlainStream : public DeviceStream {
 public:
  explicit PlainStream(FakeStream& stream) : stream_(stream) {}
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void fill(void* at, unsigned char value, std::size_t bytes) override {
    std::memset(at, value, bytes);
  }
  void launch(const Kernel&, std::span<const std::byte>) override {}
  void record(DeviceEvent& event) override { static_cast<PlainEvent&>(event).record(stream_); }
  void wait(DeviceEvent&) override {}
  void* native() override { return &stream_; }

 private:
  FakeStream& stream_;
};

class PlainMemory : public MemoryResource {
 public:
  explicit PlainMemory(MemoryKind kind) : MemoryResource({kind, 0}) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    ++blocks;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void deallocate(void* at, std::size_t, std::size_t) noexcept override {
    --blocks;
    std::free(at);
  }
  int blocks = 0;
};

class PlainDevice : public Device {
 public:
  PlainDevice(FakeNvjpeg& fake, int index) : fake_(fake), index_(index) {}
  const std::string& name() const override { return name_; }
  int index() const override { return index_; }
  std::unique_ptr<DeviceStream> make_stream() override {
    return std::make_unique<PlainStream>(*streams_.emplace_back(std::make_unique<FakeStream>()));
  }
  std::unique_ptr<DeviceEvent> make_event() override { return std::make_unique<PlainEvent>(fake_); }
  const std::shared_ptr<MemoryResource>& memory() override { return memory_; }
  const std::shared_ptr<MemoryResource>& pinned() override { return pinned_; }
  int blocks() const {
    return static_cast<const PlainMemory&>(*memory_).blocks +
           static_cast<const PlainMemory&>(*pinned_).blocks;
  }

 private:
  FakeNvjpeg& fake_;
  const int index_;
  const std::string name_ = "a plain device";
  std::vector<std::unique_ptr<FakeStream>>
      streams_;  // states know theirs for longer than it is used
  std::shared_ptr<MemoryResource> memory_ = std::make_shared<PlainMemory>(MemoryKind::device);
  std::shared_ptr<MemoryResource> pinned_ = std::make_shared<PlainMemory>(MemoryKind::pinned);
};

}  // namespace sluice::app
