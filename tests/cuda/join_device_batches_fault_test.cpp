// Conditionals inside of device batches that do not go through: too little memory, a device that
// fails, samples that it gives back, runs that are cancelled.
#include "tests/cuda/join_device_batches.h"
#include "tests/cuda/jpeg/damaged_file.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/tried.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/ops/color.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/reductions.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device::joins {
namespace join_device_batches_fault_test {

const char* const kAsks =
    "numbers of the device's choose, one after the other and one in the other";

// Batches that must shrink undo what they have added, branches included.
TEST(JoinDeviceBatches, MemoryIsScarce) {
  for (const Row& row : {rows()[2], row_of(kAsks)}) {
    auto on_host = pipeline_of(row, {.batch_size = 4, .threads = 2, .profile = true}, false, 12);
    const Seen expected = see(on_host);
    for (const std::int64_t most : {24, 40}) {
      for (const int threads : {1, 3}) {
        auto pipeline = pipeline_of(
            row,
            {.batch_size = 4, .threads = threads, .max_device_bytes = most << 20, .profile = true},
            true, 12);
        const Seen actual = see(pipeline);
        EXPECT_EQ(actual.errors, expected.errors);
        EXPECT_EQ(actual.counts, expected.counts);
        EXPECT_TRUE(actual == expected);
      }
    }
  }
}

// Whatever the device refuses: samples without a report have taken no branch, and delivered samples
// have taken one.
TEST(JoinDeviceBatches, TheDeviceFails) {
  const Row& row = rows()[0];
  // The step whose launch was refused, or else the first one.
  const std::regex one_step("[0-9]+: (gpu|flip|rotate|resize|cpu) in '': .*stand-in.*");
  auto on_host = pipeline_of(row, {.batch_size = 7, .threads = 1}, false);
  const Seen expected = see(on_host);
  for (const int every : {3, 7, 31}) {
    for (const auto fault : {HostDevice::Fault::refused, HostDevice::Fault::failed}) {
      testing::tried("gpu-faults");
      std::atomic<int> calls{0};
      PipelineOptions options{.batch_size = 7, .threads = 2};
      const auto device = std::make_shared<HostDevice>(
          HostDevice::Options{.fault = [&](const HostDevice::Call& call) {
            return call.stream >= 0 && ++calls % every == 0 ? fault : HostDevice::Fault::none;
          }});
      options.device = device;
      auto pipeline = pipeline_of(row, options, true);
      const Seen actual = see(pipeline);
      EXPECT_EQ(actual.images.size() + actual.errors.size(), static_cast<std::size_t>(kSamples));
      for (const auto& [id, image] : actual.images)
        EXPECT_TRUE(image == expected.images.at(static_cast<std::size_t>(id)).second) << id;
      for (const std::string& error : actual.errors)
        EXPECT_TRUE(std::regex_match(error, one_step)) << error;
      std::int64_t taken = 0;
      for (const auto& [branch, times] : actual.counts) taken += times;
      EXPECT_EQ(taken, static_cast<std::int64_t>(actual.images.size()));
      EXPECT_TRUE(device->violations().empty());
    }
  }
}

// The path of a sample tells what it did before the device batch that fails.
TEST(JoinDeviceBatches, TheDeviceFailsAfterAStop) {
  if (on_gpu()) GTEST_SKIP() << "a GPU does not fail when it is told to";
  const Row& row = row_of(kAsks);
  const auto on_host = [&] { return pipeline_of(row, {.batch_size = 7, .threads = 1}, false); };
  auto alone = on_host(), inspected = on_host();
  const Seen expected = see(alone);
  std::size_t on_a_way = 0;
  for (const int every : {5, 11, 31}) {
    for (const auto fault : {HostDevice::Fault::refused, HostDevice::Fault::failed}) {
      std::atomic<int> calls{0};
      PipelineOptions options{.batch_size = 7, .threads = 2};
      const auto device = std::make_shared<HostDevice>(
          HostDevice::Options{.fault = [&](const HostDevice::Call& call) {
            return call.stream >= 0 && ++calls % every == 0 ? fault : HostDevice::Fault::none;
          }});
      options.device = device;
      auto pipeline = pipeline_of(row, options, true);
      const Seen actual = see(pipeline);
      EXPECT_EQ(actual.images.size() + actual.errors.size(), static_cast<std::size_t>(kSamples));
      for (const auto& [id, image] : actual.images)
        EXPECT_TRUE(image == expected.images.at(static_cast<std::size_t>(id)).second) << id;
      for (const std::string& error : actual.errors) {
        const std::regex words("([0-9]+): ([a-z_#0-9]+) in '(.*)': .*stand-in.*");
        std::smatch found;
        ASSERT_TRUE(std::regex_match(error, found, words)) << error;
        const std::string way = inspected.inspect(std::stoll(found[1])).path();
        EXPECT_EQ(way.rfind(found[3].str(), 0), 0u) << error << "; its way is " << way;
        if (found[3].length() == 0) continue;
        ++on_a_way;
        // If no step is known to have failed, the error names the first one that the sample came
        // to.
        if (fault == HostDevice::Fault::failed) {
          EXPECT_NE(found[2], "gpu") << error;
        }
      }
      EXPECT_TRUE(device->violations().empty());
    }
  }
  EXPECT_GT(on_a_way, 0u);
}

// Files that the device gives back go into another batch, and their conditionals with them.
TEST(JoinDeviceBatches, SamplesAreGivenBack) {
  const auto index = JpegIndex::in_memory();
  std::vector<Bytes> files;
  for (std::uint64_t i = 0; i < 24; ++i) {
    Random random({.seed = i});
    files.push_back(damaged_file(encode_test_jpeg(kSamplings[i % 5], 60, 70, 80, 0, i, true),
                                 i % 2 == 1 ? 6 : 0, random, index));
  }
  for (const DamagePolicy damage : {DamagePolicy::tolerant, DamagePolicy::strict}) {
    const auto run = [&](const std::shared_ptr<Device>& device, std::int64_t* given_back) {
      auto pipeline = make_pipeline(
          {.batch_size = 6, .seed = 4, .device = device, .on_error = OnError::skip}, [&](Graph& g) {
            auto file =
                g.source(static_cast<std::int64_t>(files.size()), [&](const SampleInfo& info) {
                  Bytes view = Bytes::view_of(files[static_cast<std::size_t>(info.index_in_epoch)]);
                  view.set_index(index);
                  return view;
                });
            auto image = decode_jpeg(device != nullptr ? file.gpu() : file, {.damage = damage});
            auto one = small(g.if_else(
                g.coin_flip(0.5f), [&] { return rotate(image, g.uniform(3.f, 80.f), {.fill = 0}); },
                [&] { return image; }));
            one = g.apply_if(mean(one) < 127, one, [&](auto in) {
              return brightness_contrast(in, {.brightness = g.uniform(0.5f, 2.f)});
            });
            return device != nullptr ? one.cpu() : one;
          });
      EXPECT_EQ(batches_in(pipeline.plan().top), device != nullptr ? 1 : 0);
      Seen seen = see(pipeline);
      *given_back = pipeline.stats().device.given_back;
      return seen;
    };
    std::int64_t none = 0, given_back = 0;
    const Seen expected = run(nullptr, &none), actual = run(test_device(), &given_back);
    EXPECT_EQ(actual.errors, expected.errors);
    EXPECT_EQ(actual.counts, expected.counts);
    EXPECT_TRUE(actual == expected);
    EXPECT_GT(given_back, 0);
  }
}

// Cancels a run, and starts the next one.
void give_up_runs(const Row& row) {
  auto on_host = pipeline_of(row, {.batch_size = 5, .threads = 1}, false);
  const Seen expected = see(on_host);
  auto pipeline = pipeline_of(row, {.batch_size = 5, .threads = 3}, true);
  for (int batches = 0; batches < 6; ++batches) {
    int seen = 0;
    pipeline.reset(0);
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto& [id, image] = expected.images.at(static_cast<std::size_t>(batch.ids()[i]));
        EXPECT_TRUE(batch.get<0>()[i] == image) << id;
      }
      if (seen++ == batches) break;
    }
  }
  pipeline.reset(0);
  EXPECT_EQ(see(pipeline).images.size(), expected.images.size());
}
TEST(JoinDeviceBatches, RunsAreGivenUp) {
  give_up_runs(rows()[2]);
  give_up_runs(row_of(kAsks));
}

}  // namespace join_device_batches_fault_test
}  // namespace sluice::device::joins
