// Datasets that block on slow storage: they are read on threads of their own.
#include "tests/graph/sources.h"
#include "tests/trace_file.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace io_threads_test {

// Blocks reads until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --inside_;
  }
  // Waits until so many reads are blocked here.
  void wait_for(int reads) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ >= reads; });
  }
  int inside() {
    const std::lock_guard lock(mutex_);
    return inside_;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool open_ = false;
};

// Produces its samples' numbers. Those below `below` block at the gate, if there is one.
struct SlowNumbers {
  std::int64_t count = 0;
  Gate* gate = nullptr;
  std::int64_t below = INT64_MAX;
  std::int64_t failing = -1;
  static constexpr bool blocks = true;
  std::int64_t size() const { return count; }
  std::string name(std::int64_t i) const { return "number " + std::to_string(i); }
  std::int64_t operator()(const SampleInfo& info) const {
    if (gate != nullptr && info.index_in_epoch < below) gate->pass();
    if (info.index_in_epoch == failing) throw std::runtime_error("cannot be read");
    return info.index_in_epoch;
  }
};

// More reads are blocked than there are compute threads. Those go on with other samples.
TEST(IoThreads, LeaveTheThreadsThatComputeAlone) {
  constexpr int kStanding = 4, kWindow = 32;
  for (const int threads : {1, 2}) {
    Gate gate;
    std::atomic<int> computed{0};
    auto pipeline = make_pipeline(
        {.batch_size = 8, .threads = threads, .io_threads = kStanding + 1, .window = kWindow},
        [&](Graph& g) {
          return g.map(
              "add",
              [&](std::int64_t x) {
                ++computed;
                computed.notify_all();
                return x + 1;
              },
              g.read(SlowNumbers{.count = 64, .gate = &gate, .below = kStanding}));
        });
    auto epoch = pipeline.epoch();
    gate.wait_for(kStanding);
    for (int seen = computed; seen < kWindow - kStanding; seen = computed) computed.wait(seen);
    EXPECT_EQ(gate.inside(), kStanding);
    EXPECT_EQ(pipeline.stats().io_threads, kStanding + 1);
    EXPECT_EQ(pipeline.stats().threads, threads);
    gate.open();
    std::int64_t next = 0;
    while (const auto batch = epoch.next()) {
      for (const std::int64_t value : batch->get<0>()) EXPECT_EQ(value, ++next);
    }
    EXPECT_EQ(next, 64);
  }
}

using Everything = std::tuple<std::vector<std::int64_t>, std::vector<float>, std::string>;

Everything run(const PipelineOptions& options, std::int64_t failing) {
  Everything all;
  auto& [numbers, drawn, errors] = all;
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto x = g.read(SlowNumbers{.count = 50, .failing = failing});
    return std::tuple{g.if_else(
                          x % 2 == 0, [&] { return x * 10; }, [&] { return x; }),
                      g.uniform(0.f, 1.f)};
  });
  for (int epoch = 0; epoch < 2; ++epoch) {
    auto run = pipeline.epoch();
    while (true) {
      try {
        const auto batch = run.next();
        if (!batch) break;
        for (std::size_t k = 0; k < batch->size(); ++k) {
          numbers.push_back(batch->get<0>()[k]);
          drawn.push_back(batch->get<1>()[k]);
        }
        for (const SampleError& error : batch->errors()) errors += to_string(error);
      } catch (const BatchError& error) {
        errors += error.what();
      }
    }
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
  }
  return all;
}

TEST(IoThreads, ChangeNothingElse) {
  for (const OnError& policy : {OnError::fail, OnError::skip, OnError::replace}) {
    for (const std::int64_t failing : {-1, 13}) {
      const auto options = [&](int threads, int io_threads) {
        return PipelineOptions{.batch_size = 7,
                               .seed = 3,
                               .threads = threads,
                               .io_threads = io_threads,
                               .on_error = policy};
      };
      const Everything expected = run(options(1, 0), failing);
      EXPECT_EQ(std::get<2>(expected).empty(), failing < 0);
      for (const int threads : {1, 2, 4}) {
        for (const int io_threads : {0, 1, 2, 30})
          EXPECT_EQ(run(options(threads, io_threads), failing), expected)
              << threads << " " << io_threads;
      }
    }
  }
}

TEST(IoThreads, EndWithTheirPipelineWhenTheirReadsDo) {
  Gate gate;
  std::optional pipeline(make_pipeline(
      {.batch_size = 2, .threads = 1, .io_threads = 2, .window = 16, .stall_timeout = 0.05},
      [&](Graph& g) { return g.read(SlowNumbers{.count = 64, .gate = &gate}); }));
  {
    auto epoch = pipeline->epoch();
    gate.wait_for(2);
    try {
      (void)epoch.next();
      ADD_FAILURE() << "no stall was seen";
    } catch (const StallError& error) {
      EXPECT_NE(std::string(error.what()).find("(number 0) is in step 'read', where it waits"),
                std::string::npos)
          << error.what();
    }
    pipeline->cancel();
    std::thread opener([&] { gate.open(); });
    EXPECT_FALSE(epoch.next().has_value());
    opener.join();
  }
  EXPECT_TRUE(pipeline->stats().epoch.balanced());
  EXPECT_EQ(pipeline->stats().epoch.delivered, 0);
  auto again = pipeline->epoch();
  EXPECT_TRUE(again.next().has_value());
  pipeline.reset();
}

struct Asking {
  std::optional<Pipeline<std::int64_t>>* of;
  static constexpr bool blocks = true;
  std::int64_t size() const { return 1; }
  std::string name(std::int64_t) const { return {}; }
  std::int64_t operator()(const SampleInfo&) const {
    (*of)->reset();
    return 0;
  }
};

// As anywhere, a call that would wait for itself is refused there.
TEST(IoThreads, AreThreadsOfThePipeline) {
  std::optional<Pipeline<std::int64_t>> pipeline;
  pipeline.emplace(make_pipeline({.threads = 1, .io_threads = 2, .on_error = OnError::skip},
                                 [&](Graph& g) { return g.read(Asking{&pipeline}); }));
  const auto batch = pipeline->epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_NE(batch->errors()[0].what.find("was called inside a step"), std::string::npos);
  EXPECT_NO_THROW((void)pipeline->inspect(0));
}

constexpr int kReadBytes = 400;
struct Rows {
  static constexpr bool blocks = true;
  std::int64_t size() const { return 400; }
  std::string name(std::int64_t) const { return {}; }
  Image operator()(const SampleInfo&) const { return Image(1, kReadBytes, 1); }
};

// Inputs that are read ahead are small. The images made of them are large, but exist only for
// samples that a thread processes.
TEST(IoThreads, ReadAheadOfThoseThatComputeInBoundedMemory) {
  constexpr int kMadeBytes = 30'000, kWindow = 64;
  for (const int threads : {1, 4}) {
    auto pipeline = make_pipeline(
        {.batch_size = 4, .threads = threads, .io_threads = 3, .window = kWindow}, [&](Graph& g) {
          auto large = g.map_into<Image>(
              "large", [](const Image&, Image& out) { out = Image(1, kMadeBytes, 1); },
              g.read(Rows{}));
          return g.map(
              "width", [](const Image& image) { return image.width(); }, large);
        });
    std::size_t samples = 0;
    for (const auto& [widths] : pipeline.epoch()) samples += widths.size();
    EXPECT_EQ(samples, 400u);
    const MemoryStats memory = pipeline.stats().memory;
    EXPECT_EQ(memory.active, static_cast<std::size_t>(threads));
    EXPECT_GE(memory.largest_waiting, std::size_t{kReadBytes});
    EXPECT_LT(memory.largest_waiting, std::size_t{kMadeBytes});
    EXPECT_LE(memory.bytes_peak, memory.bytes_bound);
    EXPECT_LE(memory.bytes_bound,
              static_cast<std::size_t>(threads * 2 * kMadeBytes + kWindow * 2048));
  }
}

TEST(IoThreads, AreSeen) {
  const std::string path = (std::filesystem::path(::testing::TempDir()) /
                            ("sluice_io_" + std::to_string(getpid()) + ".json"))
                               .string();
  const auto described = [&](int io_threads, const std::string& trace) {
    return make_pipeline({.batch_size = 4,
                          .threads = 2,
                          .io_threads = io_threads,
                          .profile = true,
                          .trace = {trace}},
                         [](Graph& g) { return g.read(SlowNumbers{.count = 40}) + 1; });
  };
  {
    auto pipeline = described(2, path);
    EXPECT_NE(to_string(pipeline.plan()).find("[source; io]"), std::string::npos)
        << to_string(pipeline.plan());
    EXPECT_NE(to_dot(pipeline.plan()).find("label=\"read\", style=\"rounded,dashed\""),
              std::string::npos);
    for (const auto& batch : pipeline.epoch()) (void)batch;
    EXPECT_EQ(pipeline.stats().steps.front().runs, 40);
  }
  const traces::TraceFile file = traces::read_trace(path);
  EXPECT_EQ(file.count("read"), 40);
  EXPECT_EQ(file.waits.size(), 40u);
  std::set<std::int64_t> samples;
  for (const auto& slice : file.slices) {
    if (slice.name != "read") continue;
    samples.insert(slice.sample);
    EXPECT_EQ(file.tracks.at(slice.track).substr(0, 3), "io ");
  }
  EXPECT_EQ(samples.size(), 40u);
  std::filesystem::remove(path);
  EXPECT_EQ(described(0, "").stats().io_threads, 0);
  EXPECT_EQ(described(kAutomatic, "").stats().io_threads, 4);
  EXPECT_THROW(described(-2, ""), BuildError);
}

TEST(IoThreads, AreAskedForInVainWhereNothingBlocks) {
  const auto refusal = [](int io_threads) -> std::string {
    try {
      (void)make_pipeline({.io_threads = io_threads}, [](Graph& g) { return indices(g, 4); });
      return "";
    } catch (const BuildError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal(kAutomatic), "");
  EXPECT_EQ(refusal(0), "");
  EXPECT_EQ(refusal(32),
            "io_threads is 32, but no source says that it blocks: give the dataset `static "
            "constexpr bool blocks = true`, or leave io_threads out");
}

// A source's own threads come in addition to those of the pipeline.
TEST(IoThreads, AreASourcesOwnWhereItAsksForThem) {
  const auto threads_of = [](int own, int io_threads, bool other_blocks) {
    auto pipeline = make_pipeline(
        {.batch_size = 4, .threads = 1, .io_threads = io_threads, .window = 8}, [&](Graph& g) {
          auto x = g.read(SlowNumbers{.count = 20}, {.threads = own});
          return other_blocks ? x + g.read(SlowNumbers{.count = 20}) : x + indices(g, 20);
        });
    std::int64_t next = 0;
    for (const auto& batch : pipeline.epoch()) {
      for (const std::int64_t value : batch.get<0>()) EXPECT_EQ(value, 2 * next++);
    }
    EXPECT_EQ(next, 20);
    return pipeline.stats().io_threads;
  };
  EXPECT_EQ(threads_of(3, kAutomatic, false), 3);
  EXPECT_EQ(threads_of(30, kAutomatic, false), 8);  // no more than samples that wait for them
  EXPECT_EQ(threads_of(3, 2, true), 5);
  EXPECT_EQ(threads_of(3, 0, true), 3);
  EXPECT_THROW((void)threads_of(3, 2, false), BuildError);
}

}  // namespace io_threads_test
}  // namespace sluice
