// Decodes JPEG files on a device, for tests: plans, one batch, and the results.
#pragma once

#include "tests/cuda/test_device.h"
#include <sluice/cuda/host_device.h>
#include <sluice/cuda/jpeg/batch.h>
#include <sluice/cuda/jpeg/plan.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {

// Runs the kernels' host functions on ordinary memory: fast, and sanitizers see every access.
class HeapDevice : public Device {
 public:
  const std::string& name() const override { return name_; }
  int index() const override { return 0; }
  std::unique_ptr<DeviceStream> make_stream() override { return std::make_unique<Stream>(); }
  std::unique_ptr<DeviceEvent> make_event() override { return std::make_unique<Event>(); }
  const std::shared_ptr<MemoryResource>& memory() override { return host_memory(); }
  const std::shared_ptr<MemoryResource>& pinned() override { return host_memory(); }
  bool reads(const void*, std::size_t bytes) const override { return bytes > 0; }

 private:
  struct Stream : DeviceStream {
    void copy(void* to, const void* from, std::size_t bytes) override {
      std::memcpy(to, from, bytes);
    }
    void fill(void* at, unsigned char value, std::size_t bytes) override {
      std::memset(at, value, bytes);
    }
    void launch(const Kernel& kernel, std::span<const std::byte> arguments) override {
      kernel.on_host(arguments.data());
    }
    void record(DeviceEvent&) override {}
    void wait(DeviceEvent&) override {}
  };
  struct Event : DeviceEvent {
    bool over() override { return true; }
  };
  std::string name_ = "ordinary memory";
};

class Memory {
 public:
  Memory(std::shared_ptr<MemoryResource> from, std::size_t bytes)
      : from_(std::move(from)),
        bytes_(bytes),
        at_(static_cast<std::byte*>(from_->allocate(bytes, 256))) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { from_->deallocate(at_, bytes_, 256); }
  std::byte* get() const { return at_; }

 private:
  std::shared_ptr<MemoryResource> from_;
  std::size_t bytes_;
  std::byte* at_;
};

struct DeviceWork {
  const JpegPlan* plan = nullptr;
  std::span<const std::uint8_t> file;
};
struct DeviceImage {
  Image image;
  bool damaged = false;
};

// Decodes everything in one batch. The rows of the device's images have `spare` bytes between them,
// which must stay as they were.
inline std::vector<DeviceImage> decode_on(Device& device, const std::vector<DeviceWork>& work,
                                          JpegBatch& batch, std::ptrdiff_t spare = 0) {
  constexpr int kUntouched = 0x5a;
  std::size_t bytes = 0;
  std::vector<std::size_t> places;
  std::vector<std::ptrdiff_t> strides;
  for (const DeviceWork& each : work) {
    strides.push_back(each.plan->out_width() * each.plan->channels() + spare);
    places.push_back(bytes);
    bytes += static_cast<std::size_t>(strides.back() * each.plan->out_height());
  }
  const auto stream = device.make_stream();
  const auto event = device.make_event();
  const Memory pixels(device.memory(), bytes), read_back(device.pinned(), bytes);
  batch.clear();
  for (std::size_t i = 0; i < work.size(); ++i) {
    auto* at = reinterpret_cast<std::uint8_t*>(pixels.get() + places[i]);
    EXPECT_TRUE(batch.add(*work[i].plan, work[i].file, {at, strides[i]}));
  }
  std::size_t most_upload = JpegBatch::kMoreBytes, most_scratch = JpegBatch::kMoreBytes;
  for (const DeviceWork& each : work) {
    most_upload += each.plan->upload_bytes();
    most_scratch += each.plan->scratch_bytes();
  }
  EXPECT_LE(batch.upload_bytes(), most_upload);
  EXPECT_LE(batch.scratch_bytes(), most_scratch);
  const Memory upload(device.pinned(), batch.upload_bytes());
  const Memory uploaded(device.memory(), batch.upload_bytes());
  const Memory scratch(device.memory(), batch.scratch_bytes());
  const Memory damage(device.pinned(), 4 * work.size());
  auto* words = reinterpret_cast<std::uint32_t*>(damage.get());
  stream->fill(pixels.get(), kUntouched, bytes);
  batch.fill(upload.get());
  batch.enqueue(*stream, {upload.get(), uploaded.get(), scratch.get(), words});
  stream->copy(read_back.get(), pixels.get(), bytes);
  stream->record(*event);
  while (!event->over()) {
  }
  std::vector<DeviceImage> images(work.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    const JpegPlan& plan = *work[i].plan;
    Image& image = images[i].image;
    images[i].damaged = words[i] != 0;
    image.create(plan.out_height(), plan.out_width(), plan.channels());
    for (int y = 0; y < image.height(); ++y) {
      const std::byte* row = read_back.get() + places[i] + y * strides[i];
      std::memcpy(image.row(y), row, image.row_bytes());
      for (std::ptrdiff_t x = 0; x < spare; ++x)
        EXPECT_EQ(row[image.row_bytes() + static_cast<std::size_t>(x)], std::byte{kUntouched});
    }
  }
  return images;
}

// Returns the index entry of the file after learning it. Returns nothing for files that an index
// does not support.
inline std::optional<JpegIndexEntry> learnt(std::span<const std::uint8_t> file,
                                            std::uint32_t grain = 16) {
  const auto index = JpegIndex::in_memory({.grain = grain});
  if (learn_jpeg(file, *index).result != JpegLearnt::known) return {};
  return index->find(digest_of(file));
}

// Returns the first difference between `part` and that region of `whole`; empty if there is none.
inline std::string difference(const Image& part, const Image& whole, const Rectangle& region) {
  if (part.height() != region.height || part.width() != region.width ||
      part.channels() != whole.channels())
    return "of another size";
  for (int y = 0; y < region.height; ++y) {
    const std::uint8_t* expected = whole.row(region.y + y) + region.x * whole.channels();
    if (std::memcmp(part.row(y), expected, part.row_bytes()) == 0) continue;
    int x = 0;
    while (part.row(y)[x] == expected[x]) ++x;
    return "row " + std::to_string(y) + ", column " + std::to_string(x / part.channels()) + ": " +
           std::to_string(part.row(y)[x]) + " instead of " + std::to_string(expected[x]);
  }
  return "";
}

}  // namespace sluice::device
