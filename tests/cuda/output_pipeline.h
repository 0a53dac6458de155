// A pipeline whose batches lie in a device's memory, for the tests of device outputs. It turns
// images upside down.
#pragma once

#include "tests/cuda/test_device.h"
#include "tests/io/images.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {

using Fault = HostDevice::Fault;

inline constexpr std::int64_t kSamples = 40;
inline constexpr int kBatch = 8;
inline constexpr std::size_t kBytes = 12 * 10 * 3;  // of an image

inline Image drawn_image(std::int64_t i) {
  return draw_image(12, 10, 3, static_cast<std::uint64_t>(i));
}
inline bool every_third(std::int64_t i) { return i % 3 == 1; }

// Where the images are made. Those made on the host are delivered on the device.
enum class MadeBy : std::uint8_t { device, host };

// Moves an image to the device if that makes the images.
inline Value<Image> there(const Value<Image>& image, MadeBy made_by) {
  return made_by == MadeBy::device ? image.gpu() : image;
}

// A suite of tests for both.
class DeviceOutputTest : public ::testing::TestWithParam<MadeBy> {};
inline std::string name_of_maker(const ::testing::TestParamInfo<MadeBy>& made_by) {
  return made_by.param == MadeBy::device ? "device" : "host";
}
#define SLUICE_FOR_BOTH_MAKERS(suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(MadeBy, suite, ::testing::Values(MadeBy::device, MadeBy::host), \
                           name_of_maker)

// Describes a pipeline of images upside down. With `holes`, a third of them is missing.
inline auto upside_down(bool holes, MadeBy made_by = MadeBy::device) {
  return [holes, made_by](Graph& g) {
    auto index = g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto image = g.map(
        "draw",
        [holes](std::int64_t i) {
          if (holes && every_third(i)) throw Error("cannot be drawn");
          return drawn_image(i);
        },
        index);
    return flip(there(image, made_by), {.horizontal = false, .vertical = true});
  };
}
inline bool is_upside_down(const std::byte* pixels, std::int64_t i) {
  const Image from = drawn_image(i);
  for (int y = 0; y < from.height(); ++y) {
    if (std::memcmp(pixels, from.row(from.height() - 1 - y), from.row_bytes()) != 0) return false;
    pixels += from.row_bytes();
  }
  return true;
}

inline PipelineOptions options_for(const std::shared_ptr<Device>& device,
                                   MadeBy made_by = MadeBy::device) {
  PipelineOptions options{.batch_size = kBatch, .threads = 2};
  options.device = device;
  options.deliver_on_device = made_by == MadeBy::host;
  options.on_error = OnError::skip;
  return options;
}

template <class D>
void expect_clean(const std::shared_ptr<D>& device) {
  if (const auto* const host = dynamic_cast<const HostDevice*>(device.get())) {
    EXPECT_EQ(host->violations(), std::vector<std::string>{});
    EXPECT_EQ(host->bytes_in_use(), 0u);
    EXPECT_EQ(device.use_count(), 1);
  }
}
inline void wait_for(DeviceEvent& event) {
  while (!event.over()) std::this_thread::yield();
}

// A device that counts copies, and can make them fail. It looks only at streams that were made
// after the pipeline's: their copies close gaps.
struct Delivering {
  explicit Delivering(const std::function<Fault(int)>& fault = {},
                      const std::function<void()>& before = {}) {
    HostDevice::Options how;
    how.fault = [this, fault](const HostDevice::Call& call) {
      if (!is_ours(call) || !fault) return Fault::none;
      return fault(copies.fetch_add(1));
    };
    how.before = [this, before](const HostDevice::Call& call) {
      if (is_ours(call) && before) before();
    };
    device = std::make_shared<HostDevice>(std::move(how));
  }
  bool is_ours(const HostDevice::Call& call) const {
    return call.stream >= first && std::string(call.what) == "copy";
  }
  std::atomic<int> first{1 << 30}, copies{0};
  std::shared_ptr<HostDevice> device;
};

}  // namespace sluice::device
