#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace stats_test {

constexpr std::int64_t kSamples = 40;

// A pipeline of 40 samples: 10 loop i % 3 + 1 times, 30 choose among three branches. One branch
// fails for 10 samples, and one is never taken. Sample 7 is dropped.
auto make(int threads, bool profile) {
  const PipelineOptions options{
      .batch_size = 8, .threads = threads, .on_error = OnError::skip, .profile = profile};
  return make_pipeline(options, [](Graph& g) {
    auto i = g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto result = g.if_else(
        i % 4 == 0,
        [&] {
          return g.for_loop(i % 3 + 1, i, [&](auto, auto x) {
            return g.map(
                "grow", [](std::int64_t y) { return y + 1; }, x);
          });
        },
        [&] {
          return g.select(
              i % 4 - 1, [&] { return i; },
              [&] {
                return g.map(
                    "fails",
                    [](std::int64_t x) -> std::int64_t {
                      throw std::runtime_error("no " + std::to_string(x));
                    },
                    i);
              },
              [&] {
                return g.map(
                    "negated", [](std::int64_t x) { return -x; }, i);
              },
              [&] {
                return g.map(
                    "never", [](std::int64_t x) { return x; }, i);
              });
        });
    g.filter(i != 7);
    return result;
  });
}

template <class P>
void run_epoch(P& pipeline) {
  for (auto epoch = pipeline.epoch(); epoch.next();) {
  }
}

std::string counted(const Stats& stats) {
  std::string text;
  for (const StepStats& s : stats.steps)
    text += s.name + " in '" + s.path + "': " + std::to_string(s.runs) + "\n";
  for (const ChoiceStats& b : stats.choices) {
    text += b.name + " in '" + b.path + "':";
    for (const BranchStats& a : b.branches) text += " " + a.name + " " + std::to_string(a.taken);
    text += "\n";
  }
  for (const LoopStats& l : stats.loops) {
    text += l.name + " in '" + l.path + "': " + std::to_string(l.entries) + ", " +
            std::to_string(l.iterations) + "\n";
  }
  return text;
}

// Sample 0 loops once, 4 twice, 8 three times, ...: 10 samples, 19 trips. i % 4 is 1, 2 or 3 for
// ten samples each; the filter comes behind them, so that only ten samples do not reach it.
const char* const kSteps =
    "source in '': 40\n"
    "remainder in '': 40\n"
    "equal in '': 40\n"
    "remainder#2 in 'if_else:then': 10\n"
    "add in 'if_else:then': 10\n"
    "more in 'if_else:then/for_loop:condition': 29\n"
    "grow in 'if_else:then/for_loop:body': 19\n"
    "remainder#3 in 'if_else:otherwise': 30\n"
    "subtract in 'if_else:otherwise': 30\n"
    "fails in 'if_else:otherwise/select:branch 1': 10\n"
    "negated in 'if_else:otherwise/select:branch 2': 10\n"
    "never in 'if_else:otherwise/select:branch 3': 0\n"
    "not_equal in '': 30\n"
    "filter in '': 30\n";
const char* const kPaths =
    "if_else in '': then 10 otherwise 30\n"
    "select in 'if_else:otherwise': branch 0 10 branch 1 10 branch 2 10 branch 3 0\n"
    "for_loop in 'if_else:then': 10, 19\n";

TEST(Stats, CountsAreExactOnAnyNumberOfThreads) {
  for (const int threads : {1, 4}) {
    SCOPED_TRACE(threads);
    auto pipeline = make(threads, true);
    EXPECT_EQ(pipeline.stats().choices.at(0).taken(), 0);
    run_epoch(pipeline);
    EXPECT_EQ(counted(pipeline.stats()), std::string(kSteps) + kPaths);
  }
}

TEST(Stats, BranchesAndLoopsAreCountedAlwaysAndStepsOnlyOnDemand) {
  auto pipeline = make(4, false);
  run_epoch(pipeline);
  const Stats stats = pipeline.stats();
  EXPECT_EQ(counted(stats), kPaths);
  EXPECT_EQ(stats.choices.at(0).branches.at(0).mean_ns(), 0);
}

TEST(Stats, CountsGoOnFromEpochToEpochLikeTheTotals) {
  auto pipeline = make(2, true);
  run_epoch(pipeline);
  pipeline.reset();
  run_epoch(pipeline);
  const Stats stats = pipeline.stats();
  EXPECT_EQ(stats.total.admitted, 2 * kSamples);
  EXPECT_EQ(stats.steps.at(0).runs, 2 * kSamples);
  EXPECT_EQ(stats.choices.at(0).taken(), 2 * kSamples);
  EXPECT_EQ(stats.loops.at(0).iterations, 2 * 19);
}

TEST(Stats, InspectingASampleCountsNothing) {
  auto pipeline = make(1, true);
  (void)pipeline.inspect(0);
  EXPECT_EQ(pipeline.stats().choices.at(0).taken(), 0);
}

TEST(Stats, OnlyWhatRanTookTime) {
  auto pipeline = make(2, true);
  run_epoch(pipeline);
  const Stats stats = pipeline.stats();
  std::int64_t all = 0;
  for (const StepStats& s : stats.steps) {
    EXPECT_EQ(s.mean_ns() > 0, s.runs > 0) << s.name;
    all += s.total_ns;
  }
  // The time of a branch is that of the steps in it, at any depth.
  const auto total_of = [&](const std::string& name) {
    for (const StepStats& s : stats.steps) {
      if (s.name == name) return s.total_ns;
    }
    ADD_FAILURE() << name;
    return std::int64_t{0};
  };
  const std::int64_t loop = total_of("more") + total_of("grow");
  EXPECT_EQ(stats.loops.at(0).total_ns, loop);
  EXPECT_EQ(stats.choices.at(0).branches.at(0).total_ns,
            loop + total_of("remainder#2") + total_of("add"));
  EXPECT_LT(stats.choices.at(0).branches.at(0).total_ns, all);
}

TEST(Stats, MayBeAskedForWhileSamplesRun) {
  auto pipeline = make(4, true);
  std::int64_t before = 0, delivered = 0;
  auto epoch = pipeline.epoch();
  while (const auto batch = epoch.next()) {
    delivered += static_cast<std::int64_t>(batch->size());
    const std::int64_t now = pipeline.stats().steps.at(0).runs;
    EXPECT_GE(now, before);
    EXPECT_GE(now, delivered);
    before = now;
  }
  EXPECT_EQ(before, kSamples);
}

TEST(Stats, TellHowLongTheConsumerAndTheBatchesHaveWaited) {
  auto pipeline = make(2, false);
  EXPECT_EQ(pipeline.stats().waits.consumer_ns, 0);
  run_epoch(pipeline);
  const WaitStats first = pipeline.stats().epoch_waits;
  EXPECT_EQ(pipeline.stats().waits.consumer_ns, first.consumer_ns);
  EXPECT_GT(first.consumer_ns, 0);
  run_epoch(pipeline);
  const Stats stats = pipeline.stats();
  EXPECT_EQ(stats.waits.consumer_ns, first.consumer_ns + stats.epoch_waits.consumer_ns);
  EXPECT_EQ(stats.waits.batches_ns, first.batches_ns + stats.epoch_waits.batches_ns);
}

Stats example() {
  Stats stats;
  stats.total = {.admitted = 1500, .delivered = 1499, .failed = 1};
  stats.batches = 24;
  stats.memory.bytes_peak = 1'500'000;
  stats.memory.bytes_bound = 20'000'000;
  stats.waits = {1'230'000'000, 45'000'000};
  stats.steps = {{"read", "", 1500, 1'500'000, 0}, {"rotate", "if_else:then", 300, 4'500'000, 2}};
  stats.choices = {{"if_else", "", {{"then", 300, 4'500'000}, {"otherwise", 1200, 0}}, 4}};
  stats.loops = {{"while_loop", "if_else:otherwise", 12, 1'234'567, 0, 6}};
  return stats;
}

// The parts of a step that passes have split are one row; its parts in other branches are not.
TEST(Stats, PartsOfAStepAreOneRowOfTheTable) {
  Stats stats;
  stats.steps = {{"decode_jpeg (size)", "", 8, 1'000, 0, "decode_jpeg"},
                 {"resize (fused into flip)", "", 8, 0, 2, "resize"},
                 {"decode_jpeg (region)", "", 6, 5'000, 4, "decode_jpeg"},
                 {"decode_jpeg (region)", "if_else:then", 4, 4'000, 6, "decode_jpeg"}};
  const std::string text = to_string(stats);
  EXPECT_EQ(text.substr(text.find("\n\n")),
            "\n\n"
            "step                      in            runs     mean    total   share\n"
            "decode_jpeg               the top          8   750 ns  6.00 us  60.0 %\n"
            "resize (fused into flip)  the top          8     0 ns     0 ns   0.0 %\n"
            "decode_jpeg (region)      if_else:then     4  1.00 us  4.00 us  40.0 %\n");
}

TEST(Stats, AsATable) {
  EXPECT_EQ(
      to_string(example()),
      "samples: 1500 admitted, 1499 delivered, 0 replaced, 0 skipped, 0 filtered, 1 failed, "
      "0 cancelled; 24 batches\n"
      "memory: 1.5 MB at most, of a bound of 20.0 MB\n"
      "waits: 1.23 s for batches, 45.0 ms for their consumer; the pipeline is the slower side\n"
      "\n"
      "step    in             runs     mean    total   share\n"
      "read    the top       1,500  1.00 us  1.50 ms  25.0 %\n"
      "rotate  if_else:then    300  15.0 us  4.50 ms  75.0 %\n"
      "\n"
      "branch             in       taken   share     mean\n"
      "if_else:then       the top    300  20.0 %  15.0 us\n"
      "if_else:otherwise  the top  1,200  80.0 %\n"
      "\n"
      "loop        in                 entries  iterations  mean\n"
      "while_loop  if_else:otherwise       12   1,234,567\n");
}

TEST(Stats, OneOfAKindIsSingular) {
  Stats stats;
  stats.batches = 1;
  stats.sources = {{"read", {.files = 1}}};
  stats.workers = {
      {"decode", {.workers = 1, .ready = 1, .samples = 1, .restarts = 1, .renewals = 1}}};
  stats.device.name = "a device";
  stats.device.batches = stats.device.as_graphs = 1;
  stats.device.samples = stats.device.given_back = stats.device.largest_batch = 1;
  stats.device.ahead = 1;
  const std::string text = to_string(stats);
  for (const char* part :
       {"; 1 batch\n", "\nread: 1 file of ",
        "\ndecode: 1 of 1 worker at work, 1 sample, 1 restart, 1 renewal\n",
        "; 1 GPU batch (1 ahead, 1 as a CUDA graph) of 1.0 samples, the largest of 1; 1 sample "
        "returned; "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(Stats, OfAPipelineWithoutChoicesAreTwoLines) {
  const auto pipeline = make_pipeline({.threads = 1}, [](Graph& g) {
    return g.source(1, [](const SampleInfo& info) { return info.index_in_epoch; });
  });
  EXPECT_EQ(to_string(pipeline.stats()),
            "samples: 0 admitted, 0 delivered, 0 replaced, 0 skipped, 0 filtered, 0 failed, 0 "
            "cancelled; 0 batches\nmemory: 0.0 MB at most, of a bound of 0.0 MB\n");
}

}  // namespace stats_test
}  // namespace sluice
