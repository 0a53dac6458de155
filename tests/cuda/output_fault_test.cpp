// Batches in the memory of a device that fails.
#include "tests/cuda/output_pipeline.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace output_fault_test {

class DeviceOutputFaults : public DeviceOutputTest {};
SLUICE_FOR_BOTH_MAKERS(DeviceOutputFaults);

// A copy is refused, fails, or finds the device lost: one that closes gaps, or one of a whole batch
// that the host has made.
TEST_P(DeviceOutputFaults, CopiesThatFailAreTold) {
  for (const bool compact : {false, true}) {
    for (const Fault fault : {Fault::refused, Fault::failed, Fault::lost}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(fault)) + (compact ? ", compact" : ""));
      const int bad = GetParam() == MadeBy::device ? 7 : 2;
      Delivering with([fault, bad](int copy) { return copy == bad ? fault : Fault::none; });
      std::vector<std::string> told;
      std::int64_t right = 0;
      {
        PipelineOptions options = options_for(with.device, GetParam());
        options.compact = compact;
        auto pipeline = make_pipeline(options, upside_down(true, GetParam()));
        with.first = with.device->streams();
        auto epoch = pipeline.epoch();
        for (int calls = 0; calls < 20; ++calls) {
          try {
            const auto batch = epoch.next();
            if (!batch) break;
            batch->wait();
            const ImageBatch here = batch->get<0>().to_host();
            for (std::size_t i = 0; i < batch->size(); ++i) {
              const auto* const at = reinterpret_cast<const std::byte*>(here[i].data());
              right += is_upside_down(at, batch->keys()[i].index) ? 1 : 0;
            }
          } catch (const DeviceError& error) {
            told.emplace_back(error.what());
            EXPECT_EQ(error.device_lost(), fault == Fault::lost) << error.what();
          }
        }
        EXPECT_TRUE(pipeline.stats().epoch.balanced());
      }
      EXPECT_FALSE(told.empty());
      if (fault != Fault::lost) {
        // The samples of a short batch are spread over two full ones.
        EXPECT_LE(told.size(), compact ? 2u : 1u);
        const std::int64_t all = kSamples - (kSamples + 1) / 3;
        EXPECT_LT(right, all);
        EXPECT_GE(right, all - 2 * kBatch);
      }
      expect_clean(with.device);
    }
  }
}

// Anything may fail at any time: delivered samples are right, and no memory remains in use.
TEST_P(DeviceOutputFaults, DeviceThatFailsAtRandom) {
  std::int64_t delivered = 0, told = 0;
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random({.seed = seed});
    const float rate = std::vector{0.f, 0.01f, 0.1f}[random.below(3)];
    const bool loses = random.below(4) == 0;
    HostDevice::Options how;
    how.bytes = random.below(4) == 0 ? std::size_t{5} << 20 : std::size_t{1} << 26;
    PipelineOptions options = options_for(nullptr, GetParam());
    options.threads = 1 + static_cast<int>(random.below(3));
    options.compact = random.below(2) == 0;
    options.last_batch = static_cast<LastBatch>(random.below(3));
    if (random.below(4) == 0) options.on_error = OnError::replace;
    const bool holes = random.below(2) == 0, releases = random.below(2) == 0;
    const std::uint32_t stops = random.below(4) == 0 ? random.below(4) : 1000;
    how.fault = [&](const HostDevice::Call&) {
      if (random.unit() >= rate) return Fault::none;
      if (loses && random.below(4) == 0) return Fault::lost;
      return random.below(2) == 0 ? Fault::refused : Fault::failed;
    };
    const auto device = std::make_shared<HostDevice>(std::move(how));
    options.device = device;
    {
      std::unique_ptr<DeviceStream> stream;
      while (stream == nullptr) stream = device->make_stream();
      std::vector<Batch<Image>> kept;
      auto pipeline = make_pipeline(options, upside_down(holes, GetParam()));
      for (int epochs = 0; epochs < 2; ++epochs) {
        auto epoch = pipeline.epoch();
        for (std::uint32_t calls = 0; calls < std::min<std::uint32_t>(stops, 30); ++calls) {
          try {
            auto batch = epoch.next();
            if (!batch) break;
            if (releases) batch->release_after(stream->native());
            if (batch->size() == 0) continue;
            const ImageBatch here = batch->get<0>().to_host();
            for (std::size_t i = 0; i < batch->keys().size(); ++i) {
              const auto* const at = reinterpret_cast<const std::byte*>(here[i].data());
              EXPECT_TRUE(is_upside_down(at, batch->keys()[i].index));
            }
            delivered += static_cast<std::int64_t>(batch->size());
            kept.push_back(std::move(*batch));
          } catch (const Error&) {
            ++told;
          } catch (const std::bad_alloc&) {
            ++told;
          }
        }
      }
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
    }
    options.device = nullptr;
    expect_clean(device);
  }
  EXPECT_GT(delivered, 0);
  EXPECT_GT(told, 0);
}

}  // namespace output_fault_test
}  // namespace sluice::device
