// Shared by the tests of the kernels: a device, memory of it, and launches of a batch. The batch is
// uploaded as a pipeline would do it: jobs in one block.
#pragma once

#include "tests/cuda/test_device.h"
#include <sluice/cuda/host_device.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {

// A device, one stream, and memory that lives as long as they do.
class OnDevice {
 public:
  OnDevice() : device_(device::test_device()), stream_(device_->make_stream()) {}
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    wait();
    for (const Block& block : blocks_) block.memory->deallocate(block.at, block.bytes, kAligned);
  }

  DeviceStream& stream() { return *stream_; }
  // True if sines and cosines equal those of the host, to the last bit.
  bool same_sines() const { return dynamic_cast<device::HostDevice*>(device_.get()) != nullptr; }
  void wait() {
    const auto event = device_->make_event();
    stream_->record(*event);
    while (!event->over()) {
    }
  }

  template <class T = std::byte>
  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate(device_->memory(), count * sizeof(T)));
  }
  std::byte* pinned(std::size_t bytes) {
    return static_cast<std::byte*>(allocate(device_->pinned(), bytes));
  }
  template <class T>
  T* upload(const T* from, std::size_t count) {
    std::byte* const host = pinned(count * sizeof(T));
    std::memcpy(host, from, count * sizeof(T));
    T* const at = allocate<T>(count);
    stream_->copy(at, host, count * sizeof(T));
    return at;
  }
  std::uint8_t* upload(const Image& image) {
    return upload(image.data(), static_cast<std::size_t>(image.row_stride()) *
                                        static_cast<std::size_t>(image.height() - 1) +
                                    image.row_bytes());
  }
  // Waits before it returns.
  template <class T>
  std::vector<T> download(const T* from, std::size_t count) {
    std::byte* const host = pinned(count * sizeof(T));
    stream_->copy(host, from, count * sizeof(T));
    wait();
    std::vector<T> all(count);
    std::memcpy(all.data(), host, count * sizeof(T));
    return all;
  }
  template <class Job>
  device::Batch<Job> upload(const std::vector<Job>& jobs) {
    const int count = static_cast<int>(jobs.size());
    const std::size_t bytes = device::JobBlock<Job>::bytes(count);
    std::byte* const host = pinned(bytes);
    device::JobBlock<Job> block(host, count);
    for (const Job& job : jobs) block.add(job);
    auto* const at = allocate(bytes);
    stream_->copy(at, host, bytes);
    return block.on_device(at);
  }

 private:
  static constexpr std::size_t kAligned = 256;
  struct Block {
    std::shared_ptr<MemoryResource> memory;
    void* at;
    std::size_t bytes;
  };
  void* allocate(const std::shared_ptr<MemoryResource>& memory, std::size_t bytes) {
    void* const at = memory->allocate(bytes, kAligned);
    blocks_.push_back({memory, at, bytes});
    return at;
  }

  std::shared_ptr<Device> device_;
  std::unique_ptr<DeviceStream> stream_;
  std::vector<Block> blocks_;
};

inline std::vector<std::uint8_t> bytes_of(const Image& image) {
  std::vector<std::uint8_t> all;
  for (int y = 0; y < image.height(); ++y)
    all.insert(all.end(), image.row(y), image.row(y) + image.row_bytes());
  return all;
}
inline std::vector<std::uint8_t> bytes_of(const Tensor& tensor) {
  const auto* const at = reinterpret_cast<const std::uint8_t*>(tensor.bytes());
  return {at, at + tensor.nbytes()};
}

}  // namespace sluice::testing
