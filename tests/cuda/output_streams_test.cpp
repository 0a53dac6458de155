// Batches in a device's memory, and streams that use them: when they are ready, when their memory
// is reused, and who owns it.
#include "tests/cuda/output_pipeline.h"
#include "tests/runtime/published_dlpack.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/dlpack.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace output_streams_test {

// A consumer that runs ahead of its stream: the stream copies each batch to the host.
class Consumer {
 public:
  explicit Consumer(Device& device)
      : stream_(device.make_stream()), event_(device.make_event()), pinned_(device.pinned()) {}

  // `of`: the batch, or its column of images.
  template <class Batch>
  void take(const Batch& of, const ImageBatch& images) {
    of.wait_on(stream_->native());
    seen_.push_back(pinned_.allocate(images.nbytes()));
    stream_->copy(seen_.back().data(), images.data(), images.nbytes());
    of.release_after(stream_->native());
  }
  // All that was taken is that of these samples.
  void expect(const std::vector<std::int64_t>& ids) {
    stream_->record(*event_);
    wait_for(*event_);
    std::size_t sample = 0;
    for (const Buffer& copy : seen_) {
      for (std::size_t at = 0; at < copy.size(); at += kBytes, ++sample)
        EXPECT_TRUE(is_upside_down(copy.data() + at, ids.at(sample))) << sample;
    }
    EXPECT_EQ(sample, ids.size());
  }

 private:
  const std::unique_ptr<DeviceStream> stream_;
  const std::unique_ptr<DeviceEvent> event_;
  BufferPool pinned_;
  std::vector<Buffer> seen_;
};

class DeviceOutputStreams : public DeviceOutputTest {};
SLUICE_FOR_BOTH_MAKERS(DeviceOutputStreams);

TEST_P(DeviceOutputStreams, AConsumerNeedNotWait) {
  for (const bool holes : {false, true}) {
    for (const bool compact : {false, true}) {
      const std::shared_ptr<Device> device = test_device();
      {
        Consumer consumer(*device);
        std::vector<std::int64_t> ids;
        PipelineOptions options = options_for(device, GetParam());
        options.compact = compact;
        auto pipeline = make_pipeline(options, upside_down(holes, GetParam()));
        for (int epoch = 0; epoch < 3; ++epoch) {
          for (const auto& batch : pipeline.epoch()) {
            const ImageBatch& images = batch.get<0>();
            ASSERT_TRUE(images.dense());
            consumer.take(batch, images);
            for (const SampleKey& key : batch.keys()) ids.push_back(key.index);
          }
        }
        consumer.expect(ids);
      }
      expect_clean(device);
    }
  }
}

// The pipeline does not wait for its own copies. Some close gaps. Others bring a batch from the
// host to the device.
TEST_P(DeviceOutputStreams, NobodyWaitsForCopies) {
  std::atomic<bool> goes_on{false};
  Delivering with({}, [&] { goes_on.wait(false); });
  {
    auto pipeline =
        make_pipeline(options_for(with.device, GetParam()), upside_down(true, GetParam()));
    with.first = with.device->streams();
    const std::unique_ptr<DeviceStream> stream = with.device->make_stream();
    const std::unique_ptr<DeviceEvent> event = with.device->make_event();
    BufferPool pinned(with.device->pinned());
    std::vector<Batch<Image>> batches;
    std::vector<Buffer> copies;
    // All batches come before any copy has begun.
    for (auto& batch : pipeline.epoch()) batches.push_back(std::move(batch));
    ASSERT_EQ(batches.size(), static_cast<std::size_t>(kSamples / kBatch));
    for (const Batch<Image>& batch : batches) {
      const ImageBatch& images = batch.get<0>();
      batch.wait_on(stream->native());
      copies.push_back(pinned.allocate(images.nbytes()));
      stream->copy(copies.back().data(), images.data(), images.nbytes());
    }
    stream->record(*event);
    EXPECT_FALSE(event->over());
    goes_on = true;
    goes_on.notify_all();
    wait_for(*event);
    for (std::size_t b = 0; b < batches.size(); ++b) {
      batches[b].wait();
      for (std::size_t i = 0; i < batches[b].size(); ++i)
        EXPECT_TRUE(is_upside_down(copies[b].data() + i * kBytes, batches[b].ids()[i]));
    }
  }
  expect_clean(with.device);
}

// The purpose of release_after(): without it, memory that a stream still reads is reused.
TEST_P(DeviceOutputStreams, MemoryIsUsedAgainWhenStreamsAreThrough) {
  for (const bool tells : {true, false}) {
    std::atomic<bool> goes_on{false};
    std::atomic<int> slow{-1};
    HostDevice::Options how;
    how.before = [&](const HostDevice::Call& call) {
      if (call.stream == slow && std::string(call.what) == "copy") goes_on.wait(false);
    };
    const auto device = std::make_shared<HostDevice>(std::move(how));
    {
      const std::unique_ptr<DeviceStream> stream = device->make_stream();
      const std::unique_ptr<DeviceEvent> event = device->make_event();
      slow = device->streams() - 1;
      BufferPool pinned(device->pinned());
      const Buffer copy = pinned.allocate(kBatch * kBytes);
      auto pipeline =
          make_pipeline(options_for(device, GetParam()), upside_down(false, GetParam()));
      std::set<const void*> used;
      bool again = false;
      for (int epoch = 0; epoch < 2 || (!tells && !again); ++epoch) {
        for (const auto& batch : pipeline.epoch()) {
          again = !used.insert(batch.get<0>().data()).second || again;
          stream->copy(copy.data(), batch.get<0>().data(), batch.get<0>().nbytes());
          if (tells) batch.release_after(stream->native());
        }
      }
      goes_on = true;
      goes_on.notify_all();
      stream->record(*event);
      if (tells) {
        wait_for(*event);
      } else {
        EXPECT_THROW(wait_for(*event), DeviceError);
      }
    }
    expect_clean(device);
  }
}

TEST_P(DeviceOutputStreams, GoToOthersByDlpack) {
  const std::shared_ptr<Device> device = test_device();
  const std::shared_ptr<DeviceStream> stream = device->make_stream();
  BufferPool pinned(device->pinned());
  const Buffer copy = pinned.allocate(kBatch * kBytes);
  DLManagedTensorVersioned* theirs = nullptr;
  std::vector<std::int64_t> ids;
  {
    auto pipeline = make_pipeline(options_for(device, GetParam()), upside_down(true, GetParam()));
    auto batch = pipeline.epoch().next();
    ASSERT_TRUE(batch);
    ids = batch->ids();
    for (const std::intptr_t none : {0, -2, -3})
      EXPECT_THROW((void)to_dlpack(batch->get<0>().tensor(), none), std::invalid_argument) << none;
    DLManagedTensor* const at_once = to_dlpack(batch->get<0>().tensor());
    EXPECT_EQ(at_once->dl_tensor.device.device_type, kDLCUDA);
    EXPECT_EQ(at_once->dl_tensor.device.device_id, device->index());
    // There and back.
    const Tensor back = from_dlpack(at_once, Layout::none);
    EXPECT_EQ(back.place(), (MemoryPlace{MemoryKind::device, device->index()}));
    EXPECT_THROW((void)back.clone(), std::logic_error);
    EXPECT_THROW((void)back.to_host(), std::logic_error);
    DLManagedTensor* const unready = to_dlpack(batch->get<0>().tensor(), -1);
    unready->deleter(unready);
    theirs = to_dlpack_versioned(batch->get<0>().tensor(),
                                 reinterpret_cast<std::intptr_t>(stream->native()));
  }
  // The pipeline is gone. The consumer works on its stream, and lets go before that is over.
  stream->copy(copy.data(), theirs->dl_tensor.data, ids.size() * kBytes);
  std::thread([&] { theirs->deleter(theirs); }).join();
  const std::unique_ptr<DeviceEvent> event = device->make_event();
  stream->record(*event);
  wait_for(*event);
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_TRUE(is_upside_down(copy.data() + i * kBytes, ids[i])) << i;
  expect_clean(device);
}

// Buffers of the user's own, of the device's memory.
struct Buffers {
  Buffers(const std::shared_ptr<Device>& device, std::size_t count, std::size_t bytes)
      : memory(device->memory()), size(bytes) {
    for (std::size_t i = 0; i < count; ++i) all.push_back(memory->allocate(bytes, 64));
    ring = std::make_shared<BufferRing>(all, bytes, memory->place());
  }
  ~Buffers() {
    EXPECT_EQ(ring->free(), all.size());
    for (void* const at : all) memory->deallocate(at, size, 64);
  }
  bool contain(const void* at) const { return std::find(all.begin(), all.end(), at) != all.end(); }
  std::shared_ptr<MemoryResource> memory;
  std::size_t size;
  std::vector<void*> all;
  std::shared_ptr<BufferRing> ring;
};

TEST(DeviceOutputMemory, GoesToMemoryThatIsGiven) {
  for (const bool holes : {false, true}) {
    for (const bool compact : {false, true}) {
      const std::shared_ptr<Device> device = test_device();
      {
        Consumer consumer(*device);
        std::vector<std::int64_t> ids;
        const Buffers buffers(device, 4, kBatch * kBytes);
        PipelineOptions options = options_for(device);
        options.compact = compact;
        options.output_memory = {buffers.ring, nullptr, nullptr};
        // One output on the device, one on the host, and numbers.
        auto pipeline = make_pipeline(options, [&](Graph& g) {
          auto image = upside_down(holes)(g);
          return std::tuple{image, image.cpu(), g.source(kSamples, [](const SampleInfo& info) {
                              return info.index_in_epoch;
                            })};
        });
        for (int epoch = 0; epoch < 3; ++epoch) {
          for (const auto& batch : pipeline.epoch()) {
            const auto& [there, here, numbers] = batch;
            EXPECT_TRUE(buffers.contain(there.data()));
            EXPECT_EQ(here.place().kind, MemoryKind::pinned);
            for (std::size_t i = 0; i < batch.size(); ++i) {
              EXPECT_EQ(numbers[i], batch.keys()[i].index);
              EXPECT_TRUE(
                  is_upside_down(reinterpret_cast<const std::byte*>(here[i].data()), numbers[i]));
            }
            // The buffers are fewer than the batches that the stream is behind.
            consumer.take(there, there);
            ids.insert(ids.end(), numbers.begin(), numbers.end());
          }
        }
        consumer.expect(ids);
      }
      expect_clean(device);
    }
  }
}

// Batches that the host makes go to the user's memory on the device, too.
TEST(DeliveredOnDevice, GoToMemoryThatIsGiven) {
  for (const bool compact : {false, true}) {
    const std::shared_ptr<Device> device = test_device();
    {
      Consumer consumer(*device);
      std::vector<std::int64_t> ids;
      const Buffers buffers(device, 5, kBatch * kBytes);
      PipelineOptions options = options_for(device, MadeBy::host);
      options.compact = compact;
      options.output_memory = {buffers.ring};
      auto pipeline = make_pipeline(options, upside_down(true, MadeBy::host));
      for (int epoch = 0; epoch < 3; ++epoch) {
        for (const auto& batch : pipeline.epoch()) {
          EXPECT_TRUE(buffers.contain(batch.get<0>().data()));
          consumer.take(batch, batch.get<0>());
          for (const SampleKey& key : batch.keys()) ids.push_back(key.index);
        }
      }
      consumer.expect(ids);
    }
    expect_clean(device);
  }
}

// While the consumer uses a batch, the complete batches after it are copied already, up to the
// first one with missing samples. Each batch is copied once.
TEST(DeliveredOnDevice, TheNextBatchesAreCopiedAhead) {
  for (const std::int64_t missing : {std::int64_t{-1}, std::int64_t{3 * kBatch + 1}}) {
    std::atomic<int> copies{0};
    HostDevice::Options how;
    how.fault = [&](const HostDevice::Call& call) {
      if (std::string(call.what) == "copy") ++copies;
      return Fault::none;
    };
    const auto device = std::make_shared<HostDevice>(std::move(how));
    {
      PipelineOptions options = options_for(device, MadeBy::host);
      options.prefetch = 4;
      auto pipeline = make_pipeline(options, [&](Graph& g) {
        auto index = g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
        return g.map(
            "draw",
            [missing](std::int64_t i) {
              if (i == missing) throw Error("cannot be drawn");
              return drawn_image(i);
            },
            index);
      });
      bool ahead = false;
      // The threads decide when a batch is complete. So look at several epochs.
      for (int epoch = 0; epoch < 10'000 && !ahead; ++epoch) {
        copies = 0;
        for (const auto& batch : pipeline.epoch()) {
          const auto taken = static_cast<int>(batch.index()) + 1;
          ASSERT_GE(copies, taken);
          if (missing >= 0 && taken * kBatch <= missing) {
            ASSERT_LE(copies, missing / kBatch);
          }
          ahead = ahead || copies > taken;
        }
        ASSERT_EQ(copies, kSamples / kBatch);
      }
      EXPECT_TRUE(ahead);
      const std::int64_t bytes = pipeline.stats().device.bytes_up;
      EXPECT_GE(bytes, (kSamples - 1) * static_cast<std::int64_t>(kBytes));
      EXPECT_EQ(bytes % static_cast<std::int64_t>(kBytes), 0);
    }
    expect_clean(device);
  }
}

// A copy that runs ahead of its batch and cannot begin costs nothing, because it is tried again.
// One that fails later costs its batch.
TEST(DeliveredOnDevice, AFailedCopyAheadCostsItsBatchAtMost) {
  for (const Fault fault : {Fault::refused, Fault::failed}) {
    std::atomic<int> copies{0};
    HostDevice::Options how;
    how.fault = [&](const HostDevice::Call& call) {
      const bool third = std::string(call.what) == "copy" && copies.fetch_add(1) == 2;
      return third ? fault : Fault::none;
    };
    const auto device = std::make_shared<HostDevice>(std::move(how));
    {
      auto pipeline =
          make_pipeline(options_for(device, MadeBy::host), upside_down(false, MadeBy::host));
      auto epoch = pipeline.epoch();
      std::vector<std::int64_t> failed;
      std::int64_t whole = 0;
      for (std::int64_t i = 0; i < kSamples / kBatch; ++i) {
        try {
          auto batch = epoch.next();
          ASSERT_TRUE(batch);
          batch->wait();
          ++whole;
        } catch (const DeviceError&) {
          failed.push_back(i);
        }
      }
      EXPECT_FALSE(epoch.next());
      EXPECT_EQ(whole + std::ssize(failed), kSamples / kBatch);
      if (fault == Fault::failed) {
        EXPECT_EQ(failed, std::vector<std::int64_t>{2});
      } else {
        EXPECT_LE(failed.size(), 1u);  // the copy may not have run ahead
      }
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
    }
    expect_clean(device);
  }
}

// Copies ahead take only memory that is left over. A user who keeps too many batches is told.
TEST(DeliveredOnDevice, TheBoundOfTheDeviceHolds) {
  const std::shared_ptr<Device> device = test_device();
  {
    PipelineOptions options = options_for(device, MadeBy::host);
    options.max_device_bytes = 3 * (kBatch * kBytes + 1024);  // three batches
    auto pipeline = make_pipeline(options, upside_down(false, MadeBy::host));
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::int64_t batches = 0;
      for (const auto& batch : pipeline.epoch()) batches += batch.size() > 0 ? 1 : 0;
      EXPECT_EQ(batches, kSamples / kBatch);
    }
    EXPECT_LE(pipeline.stats().device.memory.bytes_peak,
              static_cast<std::size_t>(options.max_device_bytes));
    std::vector<Batch<Image>> kept;
    EXPECT_THROW(
        {
          for (auto& batch : pipeline.epoch()) kept.push_back(std::move(batch));
        },
        std::bad_alloc);
    EXPECT_EQ(kept.size(), 3u);
  }
  expect_clean(device);
}

TEST(DeliveredOnDevice, NeedsADevice) {
  PipelineOptions options{.batch_size = kBatch};
  options.deliver_on_device = true;
  try {
    (void)make_pipeline(options, upside_down(false, MadeBy::host));
    ADD_FAILURE();
  } catch (const BuildError& error) {
    EXPECT_STREQ(error.what(),
                 "deliver_on_device needs a device: set PipelineOptions::device to gpu()");
  }
}

TEST(DeviceOutputMemory, OfAnotherKindIsRefused) {
  const std::shared_ptr<Device> device = test_device();
  char buffer[64];
  const auto told = [&](MemoryPlace place, bool stays) -> std::string {
    PipelineOptions options = options_for(device);
    options.output_memory = {
        std::make_shared<BufferRing>(std::vector<void*>(9, buffer), 64, place)};
    try {
      (void)make_pipeline(options, [&](Graph& g) {
        auto image = upside_down(false)(g);
        return stays ? image : image.cpu();
      });
    } catch (const BuildError& error) {
      return error.what();
    }
    return "nothing";
  };
  const int index = device->index();
  const std::string ours = "device memory of device " + std::to_string(index);
  EXPECT_EQ(told({}, true), "output_memory of output 0 is host memory, but the output lies in " +
                                ours + "; give memory there, or return .cpu() of the output");
  EXPECT_NE(told({MemoryKind::device, index + 1}, true), "nothing");
  EXPECT_NE(told({MemoryKind::pinned, index}, true), "nothing");
  EXPECT_EQ(told({MemoryKind::device, index}, true), "nothing");
  EXPECT_EQ(
      told({MemoryKind::device, index}, false),
      "output_memory of output 0 is " + ours + ", which the CPU cannot write; give host memory");
  EXPECT_EQ(told({}, false), "nothing");
  EXPECT_EQ(told({MemoryKind::pinned, index}, false), "nothing");
}

}  // namespace output_streams_test
}  // namespace sluice::device
