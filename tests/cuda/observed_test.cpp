// The pipeline's reports about its device: trace and statistics; and the limit of its memory.
#include "tests/cuda/jpeg/damaged_file.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/cuda/test_device.h"
#include "tests/io/images.h"
#include "tests/trace_file.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::device {
namespace observed_test {

namespace fs = std::filesystem;
using traces::TraceFile;

constexpr std::int64_t kSamples = 48;
constexpr int kHeight = 20, kWidth = 30;
constexpr std::int64_t kBytesIn = kHeight * kWidth * 3, kBytesOut = 8 * 9 * 3;

Value<Image> drawn(Graph& g, int scale = 1) {
  return g.map(
      "draw",
      [scale](std::int64_t i) {
        return draw_image(scale * kHeight, scale * kWidth, 3, static_cast<std::uint64_t>(i));
      },
      g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; }));
}

// Half of the samples are turned over, each is resized.
auto pipeline(PipelineOptions options) {
  options.batch_size = 6;
  return make_pipeline(options, [](Graph& g) {
    auto image = drawn(g).gpu();
    auto one = g.if_else(
        g.coin_flip(0.5f), [&] { return flip(image); }, [&] { return image; }, {.name = "some"});
    return resize(one, {.height = 8, .width = 9}).cpu();
  });
}

template <class P>
std::int64_t run_epoch(P& p) {
  std::int64_t delivered = 0;
  for (const auto& batch : p.epoch()) delivered += static_cast<std::int64_t>(batch.size());
  return delivered;
}

class DeviceTrace : public ::testing::Test {
 protected:
  ~DeviceTrace() override { fs::remove(path_); }
  const std::string path_ = (fs::path(::testing::TempDir()) /
                             ("sluice_device_trace_" + std::to_string(getpid()) + ".json"))
                                .string();
};

TEST_F(DeviceTrace, HasATrackForEachDeviceBatchWithWhatWasLaunched) {
  std::int64_t batches = 0, begun_ahead = 0, device_samples = 0, turned = 0;
  const auto device = test_device();
  for (int threads = 1; threads <= 3; threads += 2) {
    {
      auto p = pipeline({.threads = threads, .device = device, .trace = {path_}});
      EXPECT_EQ(run_epoch(p), kSamples);
      EXPECT_EQ(run_epoch(p), kSamples);
      batches = p.stats().device.batches;
      begun_ahead = p.stats().device.ahead;
      device_samples = p.stats().device.samples;
      turned = p.stats().choices[0].branches[0].taken;
    }
    const TraceFile file = traces::read_trace(path_);  // slices of a track are nested
    std::map<std::string, std::int64_t> samples;       // of each kind of part, and place
    std::set<std::int64_t> tracks;
    std::int64_t seen = 0, in_batches = 0, ahead = 0;
    for (const TraceFile::Slice& slice : file.slices) {
      if (slice.samples < 0) continue;
      tracks.insert(slice.track);
      EXPECT_EQ(file.tracks.at(slice.track).rfind(device->name() + ": ", 0), 0u);
      if (slice.name == "GPU batch") {
        ++seen;
        in_batches += slice.samples;
        ahead += slice.ahead;
        EXPECT_GT(slice.samples, 0);
      } else {
        samples[slice.name + " in " + slice.in] += slice.samples;
        EXPECT_EQ(slice.bytes >= 0, slice.name == "copy" || slice.name == "upload");
      }
    }
    EXPECT_EQ(seen, batches);
    EXPECT_EQ(ahead, begun_ahead);
    EXPECT_FALSE(tracks.empty());
    const std::int64_t all = 2 * kSamples;
    EXPECT_EQ(samples["copy in gpu"], all);
    EXPECT_EQ(samples["copy in cpu"], all);
    EXPECT_EQ(samples["resize in resize"], all);
    EXPECT_EQ(samples["pixels in some:then/flip"], turned);
    EXPECT_GE(samples["upload in "], all);
    EXPECT_EQ(in_batches, device_samples);
    // The device was at work while samples waited for it.
    const auto earlier = [](const auto& a, const auto& b) { return a.from < b.from; };
    const auto later = [](const auto& a, const auto& b) { return a.to < b.to; };
    ASSERT_FALSE(file.waits.empty());
    const auto begin = std::min_element(file.waits.begin(), file.waits.end(), earlier)->from;
    const auto end = std::max_element(file.waits.begin(), file.waits.end(), later)->to;
    for (const TraceFile::Slice& slice : file.slices) {
      if (slice.samples < 0) continue;
      EXPECT_LE(begin, slice.from);
      EXPECT_LE(slice.to, end);
    }
  }
}

TEST_F(DeviceTrace, CostsNothingWhereThereIsNone) {
  for (const bool traced : {false, true}) {
    std::atomic<std::int64_t> records{0};
    const auto device = std::make_shared<HostDevice>(
        HostDevice::Options{.fault = [&](const HostDevice::Call& call) {
          if (std::string(call.what) == "record") ++records;
          return HostDevice::Fault::none;
        }});
    auto p = pipeline({.threads = 2, .device = device, .trace = {traced ? path_ : ""}});
    EXPECT_EQ(run_epoch(p), kSamples);
    const std::int64_t batches = p.stats().device.batches;
    if (traced) {
      EXPECT_GT(records, batches);
    } else {
      EXPECT_EQ(records, batches);
    }
  }
}

// A device that refuses now and then costs samples with a trace as it does without.
TEST_F(DeviceTrace, IsWrittenOfADeviceThatFails) {
  for (const int every : {5, 31, 97}) {
    {
      std::atomic<int> calls{0};
      const auto device = std::make_shared<HostDevice>(
          HostDevice::Options{.fault = [&](const HostDevice::Call& call) {
            return call.stream >= 0 && ++calls % every == 0 ? HostDevice::Fault::refused
                                                            : HostDevice::Fault::none;
          }});
      auto p =
          pipeline({.threads = 2, .device = device, .on_error = OnError::skip, .trace = {path_}});
      const std::int64_t delivered = run_epoch(p);
      const Stats stats = p.stats();
      EXPECT_EQ(delivered, stats.total.delivered);
      EXPECT_EQ(stats.total.delivered + stats.total.skipped, kSamples);
      EXPECT_TRUE(device->violations().empty());
    }
    (void)traces::read_trace(path_);
  }
}

TEST(DeviceStatistics, CountWhatWentThereAndBack) {
  auto p = pipeline({.threads = 2, .device = test_device()});
  EXPECT_EQ(p.stats().device.batches, 0);
  EXPECT_EQ(p.stats().device.mean_batch(), 0);
  EXPECT_FALSE(p.stats().device.name.empty());
  EXPECT_EQ(run_epoch(p), kSamples);
  const Stats stats = p.stats();
  const DeviceStats& device = stats.device;
  EXPECT_GE(device.samples, kSamples);
  EXPECT_GT(device.batches, 0);
  EXPECT_LE(device.batches, device.samples);
  EXPECT_EQ(device.mean_batch(),
            static_cast<double>(device.samples) / static_cast<double>(device.batches));
  EXPECT_GT(device.bytes_up, kSamples * kBytesIn);  // and the kernels' arguments
  EXPECT_EQ(device.bytes_down, kSamples * kBytesOut);
  EXPECT_EQ(device.given_back, 0);
  EXPECT_GT(device.memory.bytes_peak, 0u);
  EXPECT_LE(device.memory.bytes_peak, device.memory.bytes_reserved);
  EXPECT_LE(device.memory.bytes_in_use, device.memory.bytes_peak);
  EXPECT_GT(device.pinned.bytes_peak, 0u);
  EXPECT_GT(device.asking_ns, 0);
  EXPECT_GE(device.asleep_ns, 0);
  EXPECT_GE(device.pausing_ns, 0);
  const std::string text = to_string(stats);
  for (const std::string& part : {"device: " + device.name + "; ", std::string("device memory: "),
                                  std::string("device thread: ")})
    EXPECT_NE(text.find("\n" + part), std::string::npos) << text;
}

TEST(DeviceStatistics, AreEmptyWithoutSteps) {
  auto p = make_pipeline({.batch_size = 8, .device = test_device()},
                         [](Graph& g) { return resize(drawn(g), {.height = 8, .width = 9}); });
  EXPECT_EQ(run_epoch(p), kSamples);
  EXPECT_EQ(p.stats().device.name, "");
  EXPECT_EQ(to_string(p.stats()).find("device"), std::string::npos);
}

// Damaged files that the index describes as sound.
TEST(DeviceStatistics, CountWhatTheDeviceGivesBack) {
  const auto index = JpegIndex::in_memory();
  std::vector<Bytes> files;
  for (std::uint64_t i = 0; i < 8; ++i) {
    Random random({.seed = i});
    files.push_back(damaged_file(encode_test_jpeg(kSamplings[i % 5], 60, 70, 80, 0, i, true),
                                 i % 2 == 1 ? 6 : 0, random, index));
  }
  auto p = make_pipeline({.batch_size = 8, .device = test_device()}, [&](Graph& g) {
    auto file = g.source(static_cast<std::int64_t>(files.size()), [&](const SampleInfo& info) {
      Bytes view = Bytes::view_of(files[static_cast<std::size_t>(info.index_in_epoch)]);
      view.set_index(index);
      return view;
    });
    return resize(decode_jpeg(file.gpu(), {.damage = DamagePolicy::tolerant}),
                  {.height = 8, .width = 9})
        .cpu();
  });
  EXPECT_EQ(run_epoch(p), 8);
  const Stats stats = p.stats();
  const DeviceStats& device = stats.device;
  EXPECT_GT(device.given_back, 0);
  EXPECT_LE(device.given_back, 4);
  EXPECT_EQ(device.samples, 8 + device.given_back);  // returned samples come again
  std::int64_t on_device = 0, decoded = 0;
  for (const EventStats& event : stats.events) {
    on_device += event.name == "on_device" ? event.count : 0;
    decoded += event.name == "index_damaged" ? 0 : event.count;
  }
  EXPECT_EQ(on_device, 8 - device.given_back);
  EXPECT_EQ(decoded, 8);
}

TEST(DeviceMemoryLimit, FailsSamplesAndNothingElse) {
  constexpr int kScale = 40;  // images of 2.9 MB
  const auto run = [&](std::int64_t limit) {
    auto p = make_pipeline(
        {.batch_size = 4,
         .threads = 2,
         .window = 8,
         .device = test_device(),
         .max_device_bytes = limit,
         .on_error = OnError::skip},
        [&](Graph& g) { return resize(drawn(g, kScale).gpu(), {.height = 8, .width = 9}).cpu(); });
    std::string what;
    std::int64_t delivered = 0, missing = 0;
    for (const auto& batch : p.epoch()) {
      delivered += static_cast<std::int64_t>(batch.size());
      missing += static_cast<std::int64_t>(batch.missing().size());
      for (const SampleError& error : batch.errors()) what = error.what;
    }
    EXPECT_EQ(delivered + missing, kSamples);
    if (limit > 0) {
      EXPECT_LE(p.stats().device.memory.bytes_reserved, static_cast<std::size_t>(limit));
    }
    return std::pair(delivered, what);
  };
  const auto [none, why] = run(std::int64_t{1} << 21);
  EXPECT_EQ(none, 0);
  EXPECT_NE(why.find("no more than 2097152 bytes of device memory of device"), std::string::npos)
      << why;
  EXPECT_NE(why.find("max_device_bytes"), std::string::npos) << why;
  EXPECT_EQ(run(0).first, kSamples);
  EXPECT_EQ(run(std::int64_t{1} << 28).first, kSamples);
  EXPECT_THROW((void)run(-1), BuildError);
}

}  // namespace observed_test
}  // namespace sluice::device
