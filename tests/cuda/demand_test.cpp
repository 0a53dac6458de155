// When samples begin on the device: at once if the consumer needs them, otherwise many together.
// Pipelines whose samples are held back must end, whatever the consumer does.
#include "tests/cuda/test_device.h"
#include "tests/trace_file.h"
#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::device {
namespace demand_test {

using detail::DeviceDemand;

struct Counter : DeviceDemand::Listener {
  void wake() noexcept override { ++wakes; }
  int wakes = 0;
};

TEST(DeviceDemand, IsEnoughAboveTheReserve) {
  DeviceDemand demand;
  Counter counter;
  demand.listen(counter);
  demand.reset(10, 100);
  struct Row {
    std::int64_t complete;  // batches
    std::size_t at_work;    // samples
    bool enough;
  };
  for (const Row& row : {Row{0, 0, false},
                         {1, 0, false},
                         {0, 10, false},
                         {0, 11, true},
                         {1, 1, true},
                         {2, 0, true},
                         {5, 40, true}}) {
    demand.set_complete(row.complete);
    demand.started(row.at_work);
    EXPECT_EQ(demand.has_enough(), row.enough) << row.complete << ", " << row.at_work;
    demand.finished(row.at_work);
  }
  EXPECT_EQ(counter.wakes, 7);  // one for each end of work
}

// A consumer that waits takes all there is. Waiting although the supply exceeds the reserve raises
// the reserve, up to half of the window.
TEST(DeviceDemand, LearnsFromAConsumerThatWaits) {
  DeviceDemand demand;
  Counter counter;
  demand.listen(counter);
  demand.reset(10, 50);
  const auto most_not_enough = [&] {  // at work
    std::size_t samples = 0;
    while (true) {
      demand.started(samples + 1);
      const bool enough = demand.has_enough();
      demand.finished(samples + 1);
      if (enough) return samples;
      ++samples;
    }
  };
  EXPECT_EQ(most_not_enough(), 10u);
  demand.set_waits(true);  // nothing is at work: no sign of a late burst
  EXPECT_FALSE(demand.has_enough());
  demand.set_waits(false);
  EXPECT_EQ(most_not_enough(), 10u);
  for (const std::size_t expected : {20u, 25u, 25u}) {
    demand.started(40);
    EXPECT_TRUE(demand.has_enough());
    demand.set_waits(true);
    EXPECT_FALSE(demand.has_enough());
    demand.set_waits(false);
    demand.finished(40);
    EXPECT_EQ(most_not_enough(), expected);
  }
  demand.reset(10, 50);  // the next epoch knows it
  EXPECT_EQ(most_not_enough(), 25u);
  demand.started(40);
  const int before = counter.wakes;
  demand.release_all();
  EXPECT_FALSE(demand.has_enough());
  EXPECT_EQ(counter.wakes, before + 1);
}

constexpr std::int64_t kSamples = 200;

Image drawn(std::int64_t i) {
  Image image(6, 7, 3);
  for (int y = 0; y < 6; ++y)
    std::fill_n(image.row(y), image.row_bytes(), static_cast<std::uint8_t>(i + y));
  return image;
}

struct Progress {
  std::atomic<std::int64_t> drawn{0}, done{0};
};

Pipeline<Image> counting(const PipelineOptions& options, Progress& progress) {
  return make_pipeline(options, [&](Graph& g) {
    auto number = g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto image = g.map(
        "draw",
        [&](std::int64_t i) {
          ++progress.drawn;
          return drawn(i);
        },
        number);
    if (options.device == nullptr) return invert(image);
    return g.map(
        "count",
        [&](const Image& of) {
          ++progress.done;
          return of.clone();
        },
        invert(image.gpu()).cpu());
  });
}

template <class Batch>
void expect_inverted(const Batch& batch) {
  ASSERT_TRUE(batch.errors().empty());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto of = static_cast<std::uint8_t>(batch.ids()[i] % kSamples);
    EXPECT_EQ(*batch.template get<0>()[i].data(), static_cast<std::uint8_t>(255 - of));
  }
}

// The consumer takes a batch only when it is complete and no other sample can move. Then GPU
// batches have many samples. Without holding, most samples would begin alone.
TEST(DeviceDemand, AConsumerThatDoesNotWaitGetsBursts) {
  constexpr std::int64_t kBatch = 4, kWindow = 40;
  const std::string path = std::filesystem::path(::testing::TempDir()) /
                           ("sluice_demand_" + std::to_string(getpid()) + ".json");
  for (const int threads : {1, 3}) {
    Progress progress;
    DeviceStats stats;
    {
      auto pipeline = counting({.batch_size = kBatch,
                                .threads = threads,
                                .window = static_cast<int>(kWindow),
                                .device = test_device(),
                                .trace = {path}},
                               progress);
      std::int64_t taken = 0;
      auto epoch = pipeline.epoch();
      for (auto batch = epoch.begin(); batch != epoch.end(); ++batch) {
        expect_inverted(*batch);
        ++taken;
        const std::int64_t admitted = std::min(kSamples, taken * kBatch + kWindow);
        const std::int64_t needed = std::min(kSamples, (taken + 1) * kBatch);
        while (progress.drawn < admitted || progress.done < needed) std::this_thread::yield();
      }
      EXPECT_EQ(taken, kSamples / kBatch);
      stats = pipeline.stats().device;
    }
    EXPECT_EQ(stats.samples, kSamples);
    EXPECT_GT(stats.ahead, 0);
    EXPECT_LE(stats.ahead, stats.batches);
    EXPECT_GE(stats.largest_batch, kWindow / 4);
    EXPECT_LE(stats.batches, kSamples / 4);
    std::int64_t ahead = 0;
    for (const auto& slice : traces::read_trace(path).slices)
      ahead += std::max<std::int64_t>(slice.ahead, 0);
    EXPECT_EQ(ahead, stats.ahead);
  }
  std::filesystem::remove(path);
}

// Samples that are held back when the epoch ends early, or another begins, end as well.
TEST(DeviceDemand, HeldSamplesEndWithTheirEpoch) {
  for (const bool manual_end : {false, true}) {
    for (int taken = 0; taken < 6; ++taken) {
      Progress progress;
      auto pipeline = counting(
          {.batch_size = 4, .threads = 2, .window = 40, .device = test_device()}, progress);
      for (int epoch = 0; epoch < 3; ++epoch) {
        const std::int64_t before = progress.drawn;
        auto run = pipeline.epoch();
        auto batch = run.begin();
        for (int i = 0; i < taken; ++i) expect_inverted(*batch), ++batch;
        while (progress.drawn < before + 40) std::this_thread::yield();
        if (manual_end) pipeline.cancel();
      }
      EXPECT_TRUE(pipeline.stats().total.balanced());
    }
  }
}

// Small windows, short batches, and `compact` leave no sample behind.
TEST(DeviceDemand, AllSamplesComeWithAnyOptions) {
  const PipelineOptions all[] = {
      {.batch_size = 1, .threads = 2},
      {.batch_size = 1, .threads = 1, .window = 1},
      {.batch_size = 4, .threads = 2, .prefetch = 0},
      {.batch_size = 4, .threads = 2, .window = 4},
      {.batch_size = 7, .threads = 3, .prefetch = 20},
      {.batch_size = 7, .threads = 2, .compact = true},
      {.batch_size = 16, .threads = 2, .last_batch = LastBatch::drop},
      {.batch_size = 64, .threads = 2, .window = 100},
      {.batch_size = 4, .threads = 2, .max_device_bytes = 1 << 23},
  };
  for (PipelineOptions options : all) {
    Progress progress;
    options.device = test_device();
    auto pipeline = counting(options, progress);
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::int64_t samples = 0;
      for (const auto& batch : pipeline.epoch()) {
        expect_inverted(batch);
        samples += static_cast<std::int64_t>(batch.size());
        // A consumer that is sometimes slow.
        for (int i = 0; i < (samples % 3) * 200; ++i) std::this_thread::yield();
      }
      const bool drops = options.last_batch == LastBatch::drop;
      EXPECT_EQ(samples, drops ? kSamples - kSamples % options.batch_size : kSamples)
          << options.batch_size << ", " << options.window;
    }
  }
}

// Yields until no sample starts on the device any more.
template <class P>
void wait_until_still(const P& pipeline) {
  std::int64_t seen = -1;
  for (std::int64_t now = pipeline.stats().device.samples; now != seen;) {
    seen = now;
    for (int i = 0; i < 2000; ++i) std::this_thread::yield();
    now = pipeline.stats().device.samples;
  }
}

// A consumer that does not wait, and too little memory for the window. GPU batches then take only
// some of the samples of a burst. In the second program, samples that have been on the device hold
// memory that others need.
TEST(DeviceDemand, HeldSamplesDoNotKeepOthersFromMemory) {
  constexpr int kSide = 256;
  const auto program = [](Graph& g, bool twice) {
    auto image = g.map(
        "draw",
        [](std::int64_t i) {
          Image made(kSide, kSide, 3);
          for (int y = 0; y < kSide; ++y)
            std::fill_n(made.row(y), made.row_bytes(), static_cast<std::uint8_t>(i));
          return made;
        },
        g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; }));
    auto there = invert(image.gpu());
    if (!twice) return resize(there, {.height = 6, .width = 7}).cpu();
    auto small = g.map(
        "clone", [](const Image& of) { return of.clone(); },
        resize(there, {.height = 8, .width = 8}).cpu());
    auto back = resize(small.gpu(), {.height = kSide, .width = kSide});
    return resize(blend(there, back), {.height = 6, .width = 7}).cpu();
  };
  for (const bool twice : {false, true}) {
    for (const std::int64_t mebibytes : {12, 20}) {
      PipelineOptions options{.batch_size = 4, .threads = 2, .window = 64, .device = test_device()};
      if (twice || on_gpu()) {
        options.max_device_bytes = mebibytes << 20;
      } else {  // nothing tells that memory is short until it is
        options.device = std::make_shared<HostDevice>(
            HostDevice::Options{.bytes = static_cast<std::size_t>(mebibytes) << 20});
      }
      auto pipeline = make_pipeline(options, [&](Graph& g) { return program(g, twice); });
      std::int64_t samples = 0;
      for (const auto& batch : pipeline.epoch()) {
        expect_inverted(batch);
        samples += static_cast<std::int64_t>(batch.size());
        wait_until_still(pipeline);
      }
      EXPECT_EQ(samples, kSamples) << twice << ", " << mebibytes;
    }
  }
}

}  // namespace demand_test
}  // namespace sluice::device
