// Device batches in programs that misuse them, or use them in unusual ways. Nothing is lost,
// nothing waits for ever, and delivered values are right.
#include "tests/cuda/output_pipeline.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace output_misuse_test {

std::size_t wrong_in(const Batch<Image>& batch) {
  const ImageBatch here = batch.get<0>().to_host();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto* const at = reinterpret_cast<const std::byte*>(here[i].data());
    wrong += is_upside_down(at, batch.keys()[i].index) ? 0 : 1;
  }
  return wrong;
}

class DeviceOutputMisuse : public DeviceOutputTest {};
SLUICE_FOR_BOTH_MAKERS(DeviceOutputMisuse);

// The same stream is passed repeatedly, and streams of other devices are passed, too.
TEST_P(DeviceOutputMisuse, ReleasedMoreThanOnce) {
  for (const bool holes : {false, true}) {
    const auto device = test_device();
    auto stream = device->make_stream(), other = device->make_stream();
    {
      auto pipeline =
          make_pipeline(options_for(device, GetParam()), upside_down(holes, GetParam()));
      for (const auto& batch : pipeline.epoch()) {
        for (int times = 0; times < 3; ++times) {
          batch.release_after(stream->native());
          batch.get<0>().release_after(other->native());
          batch.get<0>()[0].release_after(stream->native());
        }
        if (!on_gpu()) {
          int nothing = 0;
          EXPECT_THROW(batch.release_after(&nothing), DeviceError);
          EXPECT_THROW(batch.release_after(nullptr), DeviceError);
        }
        batch.wait_on(stream->native());
        EXPECT_EQ(wrong_in(batch), 0u);
      }
    }
    stream.reset();
    other.reset();
    expect_clean(device);
  }
}

// Many threads use one batch: they wait, copy, release and destroy.
TEST_P(DeviceOutputMisuse, UsedByManyThreadsAtOnce) {
  const auto device = test_device();
  {
    auto pipeline = make_pipeline(options_for(device, GetParam()), upside_down(true, GetParam()));
    for (const auto& batch : pipeline.epoch()) {
      std::atomic<std::size_t> wrong{0};
      std::vector<std::thread> threads;
      for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i, tensors = batch.get<0>().tensor()]() mutable {
          const auto stream = device->make_stream();
          batch.wait();
          batch.wait_on(stream->native());
          if (i % 2 == 0) batch.release_after(stream->native());
          wrong += wrong_in(batch);
          const auto event = device->make_event();
          stream->record(*event);
          tensors.release_after(stream->native());
          tensors.release();
          wait_for(*event);
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(wrong, 0u);
    }
  }
  expect_clean(device);
}

// Batches outlive their epoch, its end by cancel(), their pipeline, and each other in any order.
// They can be copied all the time.
TEST_P(DeviceOutputMisuse, KeptForLongerThanAnythingElse) {
  enum class Ends : std::uint8_t { never, cancelled, reset, gone };
  for (const Ends ends : {Ends::never, Ends::cancelled, Ends::reset, Ends::gone}) {
    for (const bool compact : {false, true}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(ends)) + (compact ? ", compact" : ""));
      const auto device = test_device();
      std::vector<Batch<Image>> kept;
      {
        PipelineOptions options = options_for(device, GetParam());
        options.compact = compact;
        options.prefetch = 1;
        auto pipeline = std::make_optional(make_pipeline(options, upside_down(true, GetParam())));
        for (int epochs = 0; epochs < 3; ++epochs) {
          auto epoch = pipeline->epoch();
          for (int taken = 0; auto batch = epoch.next(); ++taken) {
            kept.push_back(std::move(*batch));
            if (taken == 1 && ends == Ends::cancelled) pipeline->cancel();
            if (taken == 1 && ends == Ends::reset) {
              pipeline->reset(5);
              break;
            }
          }
        }
        if (ends == Ends::gone) pipeline.reset();
        for (const auto& batch : kept) EXPECT_EQ(wrong_in(batch), 0u);
      }
      ASSERT_GE(kept.size(), 3u);
      std::vector<Tensor> parts;
      for (const auto& batch : kept) parts.push_back(batch.get<0>().tensor(0));
      for (std::size_t i = 0; i < kept.size(); i += 2) {
        const Batch<Image> going = std::move(kept[i]);
        EXPECT_EQ(wrong_in(going), 0u);
      }
      for (std::size_t i = 1; i < kept.size(); i += 2) EXPECT_EQ(wrong_in(kept[i]), 0u);
      kept.clear();
      for (const Tensor& part : parts) EXPECT_EQ(part.to_host().nbytes(), kBytes);
      parts.clear();
      expect_clean(device);
    }
  }
}

// Outputs that a batch no longer has, or never had.
TEST_P(DeviceOutputMisuse, EmptyAndMovedFrom) {
  const auto device = test_device();
  {
    auto pipeline = make_pipeline(options_for(device, GetParam()), [&](Graph& g) {
      auto image = g.map(
          "draw", [](std::int64_t) -> Image { throw Error("cannot be drawn"); },
          g.source(kBatch, [](const SampleInfo& info) { return info.index_in_epoch; }));
      return flip(there(image, GetParam()));
    });
    auto epoch = pipeline.epoch();
    auto batch = epoch.next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->size(), 0u);
    const auto stream = device->make_stream();
    batch->wait();
    batch->wait_on(stream->native());
    batch->release_after(stream->native());
    EXPECT_EQ(batch->get<0>().to_host().size(), 0u);
    const auto elsewhere = std::move(*batch);
    // NOLINTBEGIN(bugprone-use-after-move): it is empty
    batch->wait();
    batch->release_after(stream->native());
    // NOLINTEND(bugprone-use-after-move)
    elsewhere.wait();
  }
  expect_clean(device);
}

// The last handle on the device is a batch's.
TEST_P(DeviceOutputMisuse, KeptForLongerThanTheDevice) {
  for (const bool released : {false, true}) {
    std::optional<Batch<Image>> batch;
    {
      const auto device = test_device();
      const auto stream = device->make_stream();
      auto pipeline = make_pipeline(options_for(device, GetParam()), upside_down(true, GetParam()));
      batch = pipeline.epoch().next();
      if (released) batch->release_after(stream->native());
    }
    ASSERT_TRUE(batch);
    EXPECT_EQ(wrong_in(*batch), 0u);
    Tensor part = batch->get<0>().tensor(0);
    batch.reset();
    EXPECT_EQ(part.to_host().nbytes(), kBytes);
  }
}

// A caller that keeps batches until memory runs out loses samples, and no others than those.
TEST_P(DeviceOutputMisuse, KeptUntilThereIsNoMemory) {
  constexpr int kSide = 512;
  const auto device = test_device();
  {
    PipelineOptions options = options_for(device, GetParam());
    options.batch_size = 4;
    options.window = 8;
    options.max_device_bytes = std::int64_t{24} << 20;
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto image = g.map(
          "draw",
          [](std::int64_t i) {
            Image drawn(kSide, kSide, 3);
            std::memset(drawn.data(), static_cast<int>(i), kSide * drawn.row_bytes());
            return drawn;
          },
          g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; }));
      return invert(there(image, GetParam()));
    });
    for (const bool keeps : {true, false}) {
      std::vector<Batch<Image>> kept;
      std::size_t errors = 0, delivered = 0;
      const auto check = [](const Batch<Image>& batch) {
        const ImageBatch here = batch.get<0>().to_host();
        for (std::size_t i = 0; i < batch.size(); ++i)
          EXPECT_EQ(here[i].at(9, 8, 1), 255 - batch.keys()[i].index);
      };
      auto epoch = pipeline.epoch();
      for (int calls = 0; calls < 20; ++calls) {
        try {
          auto batch = epoch.next();
          if (!batch) break;
          check(*batch);
          delivered += batch->size();
          errors += batch->errors().size();
          for (const SampleError& error : batch->errors())
            EXPECT_NE(error.what.find("max_device_bytes"), std::string::npos) << error.what;
          if (keeps) kept.push_back(std::move(*batch));
        } catch (const std::bad_alloc&) {  // for a whole batch, which ends the epoch
          EXPECT_TRUE(keeps);
          ++errors;
        }
      }
      EXPECT_EQ(errors > 0, keeps);
      for (const auto& batch : kept) check(batch);
      if (!keeps) {
        EXPECT_EQ(delivered, static_cast<std::size_t>(kSamples));
      }
    }
  }
  expect_clean(device);
}

// The device is lost while batches are kept: calls that need it throw, and everything can be
// destroyed.
TEST_P(DeviceOutputMisuse, KeptWhenTheDeviceIsLost) {
  for (const bool releases : {false, true}) {
    std::atomic<bool> lost{false};
    HostDevice::Options how;
    how.fault = [&](const HostDevice::Call&) { return lost ? Fault::lost : Fault::none; };
    auto device = std::make_shared<HostDevice>(std::move(how));
    {
      auto stream = device->make_stream();
      auto pipeline = make_pipeline(options_for(device, GetParam()), upside_down(true, GetParam()));
      auto epoch = pipeline.epoch();
      auto batch = epoch.next();
      ASSERT_TRUE(batch);
      if (releases) batch->release_after(stream->native());
      lost = true;
      EXPECT_THROW((void)batch->get<0>().to_host(), DeviceError);
      EXPECT_THROW(batch->release_after(stream->native()), DeviceError);
      EXPECT_THROW(
          {
            while (epoch.next()) {
            }
          },
          DeviceError);
    }
    EXPECT_EQ(device.use_count(), 1);
    EXPECT_EQ(device->bytes_in_use(), 0u);
  }
}

}  // namespace output_misuse_test
}  // namespace sluice::device
