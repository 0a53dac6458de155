// The trace of a pipeline: every step of every sample, once, whatever the outcome of the samples.
#include "tests/graph/elsewhere.h"
#include "tests/graph/sources.h"
#include "tests/trace_file.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace trace_test {

namespace fs = std::filesystem;
using testing::Elsewhere;
using traces::read_trace;
using traces::TraceFile;

constexpr std::int64_t kSamples = 60;

class PipelineTraceTest : public ::testing::Test {
 protected:
  ~PipelineTraceTest() override { fs::remove(path_); }

  // Samples whose number fails(i) says so throw in "odd" or "even".
  auto pipeline(PipelineOptions options, std::int64_t failing = -1) {
    options.batch_size = 8;
    options.window = 24;
    if (options.trace.file.empty()) options.trace.file = path_;
    return make_pipeline(options, [&](Graph& g) {
      const auto body = [failing](std::int64_t x) {
        if (x == failing) throw std::runtime_error("no");
        return x;
      };
      auto i = indices(g, kSamples);
      auto a = g.map(
          "first", [](std::int64_t x) { return x; }, i);
      auto b = g.if_else(
          a % 2 == 0, [&] { return g.map("even", body, a); }, [&] { return g.map("odd", body, a); },
          {.name = "by \"parity\""});
      auto c = g.for_loop(3, b,
                          [&](const auto&, Value<std::int64_t> x) {
                            return g.map(
                                "again", [](std::int64_t y) { return y + 1; }, x);
                          },
                          {.name = "thrice"});
      auto d = g.map_async<std::int64_t>(
          "ask",
          [this](Completion<std::int64_t> done, std::int64_t x) {
            elsewhere_.post(std::move(done), [x](auto& handle) { handle.set(x); });
          },
          c);
      return g.map(
          "last", [](std::int64_t x) { return x; }, d);
    });
  }

  Elsewhere elsewhere_;
  const std::string path_ =
      (fs::path(::testing::TempDir()) / ("sluice_pipeline_" + std::to_string(getpid()) + ".json"))
          .string();
};

using Key = std::pair<std::int64_t, std::int64_t>;  // epoch, sample
using Counts = std::map<Key, std::map<std::string, int>>;

Counts counts_of(const TraceFile& file) {
  Counts counts;
  for (const auto* list : {&file.slices, &file.waits}) {
    for (const TraceFile::Slice& slice : *list) {
      if (slice.name == "next()") continue;
      ++counts[{slice.epoch, slice.sample}][slice.name];
      EXPECT_EQ(slice.batch, slice.position / 8) << slice.name;
    }
  }
  return counts;
}

TEST_F(PipelineTraceTest, HasEveryStepOfEverySampleOnce) {
  for (const int threads : {1, 2, 4}) {
    for (const bool profile : {false, true}) {
      {
        auto traced = pipeline({.threads = threads, .profile = profile});
        for (int epoch = 0; epoch < 2; ++epoch) {
          std::int64_t delivered = 0;
          for (const auto& batch : traced.epoch())
            delivered += static_cast<std::int64_t>(batch.size());
          EXPECT_EQ(delivered, kSamples);
        }
        if (profile) {
          EXPECT_EQ(traced.stats().steps.front().runs, 2 * kSamples);
        }
      }
      const TraceFile file = read_trace(path_);
      const Counts counts = counts_of(file);
      EXPECT_EQ(counts.size(), std::size_t{2 * kSamples});
      for (const auto& [key, steps] : counts) {
        for (const char* name : {"source", "first", "ask", "last"})
          EXPECT_EQ(steps.count(name) > 0 ? steps.at(name) : 0, 1) << name << " " << key.second;
        EXPECT_EQ(steps.count("even"), key.second % 2 == 0 ? 1u : 0u);
        EXPECT_EQ(steps.count("odd"), key.second % 2 == 0 ? 0u : 1u);
        EXPECT_EQ(steps.at("again"), 3);
      }
      EXPECT_EQ(file.waits.size(), std::size_t{2 * kSamples});
      EXPECT_EQ(file.count("next()"), 16);
      for (const char* name : {"samples under way", "batches ready", "bytes in use"})
        EXPECT_FALSE(file.counters.at(name).empty()) << name;
      EXPECT_EQ(*std::max_element(file.counters.at("samples under way").begin(),
                                  file.counters.at("samples under way").end()) > 24,
                false);
      std::map<std::string, int> tracks;
      for (const auto& [id, name] : file.tracks) ++tracks[name];
      EXPECT_EQ(tracks["driver"], 1);
      EXPECT_EQ(tracks["consumer"], 1);
      for (int i = 0; i + 1 < threads; ++i) EXPECT_EQ(tracks["sluice " + std::to_string(i)], 1);
      for (const TraceFile::Slice& slice : file.slices) {
        if (slice.name == "even") {
          EXPECT_EQ(slice.in, "by \"parity\":then");
        }
        if (slice.name == "again") {
          EXPECT_EQ(slice.in, "thrice:body");
        }
        if (slice.name != "next()") {
          EXPECT_NE(file.tracks.at(slice.track), "consumer");
        }
      }
      EXPECT_EQ(file.dropped, 0u);
    }
  }
}

// A failed sample has its steps up to the one that threw.
TEST_F(PipelineTraceTest, HasTheStepThatFailed) {
  {
    auto traced = pipeline({.threads = 2, .on_error = OnError::skip}, 7);
    for (const auto& batch : traced.epoch()) (void)batch;
  }
  const Counts counts = counts_of(read_trace(path_));
  EXPECT_EQ(counts.size(), std::size_t{kSamples});
  const auto& steps = counts.at({0, 7});
  EXPECT_EQ(steps.at("odd"), 1);
  EXPECT_EQ(steps.count("again"), 0u);
  EXPECT_EQ(steps.count("ask"), 0u);
}

TEST_F(PipelineTraceTest, IsWholeAfterCancelingAndWhileAnEpochLivesOn) {
  {
    auto traced = pipeline({.threads = 2});
    auto epoch = traced.epoch();
    EXPECT_TRUE(epoch.next());
    traced.cancel();
    EXPECT_FALSE(epoch.next());
  }
  EXPECT_GE(read_trace(path_).count("last"), 8);
  {
    auto traced = std::make_optional(pipeline({.threads = 2}));
    auto epoch = traced->epoch();
    EXPECT_TRUE(epoch.next());
    traced.reset();
    EXPECT_GE(read_trace(path_).count("last"), 8);
    EXPECT_THROW((void)epoch.next(), Error);
  }
}

TEST_F(PipelineTraceTest, IsBounded) {
  {
    auto traced = pipeline({.threads = 2, .trace = {path_, 5}});
    for (const auto& batch : traced.epoch()) (void)batch;
  }
  const TraceFile file = read_trace(path_);
  EXPECT_EQ(file.max_events, 5u);
  EXPECT_GT(file.dropped, 0u);
}

TEST_F(PipelineTraceTest, SaysAtOnceWhatCannotBe) {
  EXPECT_THROW(pipeline({.trace = {"/no/such/folder/trace.json"}}), BuildError);
  EXPECT_THROW(pipeline({.trace = {path_, 0}}), BuildError);
  const auto first = pipeline({});
  EXPECT_THROW(pipeline({}), BuildError);
}

}  // namespace trace_test
}  // namespace sluice
