// Pipelines that resume from a checkpoint, against the run that was never interrupted.
#include "tests/graph/resumed.h"
#include "tests/one_in.h"
#include <sluice/graph/sources/batches.h>
#include <sluice/graph/sources/values.h>
#include <sluice/runtime/random.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace checkpoint_test {

using namespace resumed;  // NOLINT(google-build-using-namespace)

class EachCut : public ::testing::TestWithParam<Setting> {};

TEST_P(EachCut, GoesOnWithTheNextBatch) {
  auto whole = pipeline_of(GetParam());
  std::vector<Checkpoint> cuts = {whole.checkpoint()};
  const std::vector<std::string> all = rest_of(whole, [&] { cuts.push_back(whole.checkpoint()); });
  ASSERT_GT(all.size(), 6U);
  for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
    SCOPED_TRACE("after " + std::to_string(cut) + " batches");
    auto resumed = pipeline_of(GetParam(), Checkpoint::from_json(cuts[cut].to_json()));
    // Asked before anything was done, it says the same.
    EXPECT_EQ(resumed.checkpoint(), cuts[cut]);
    std::vector<Checkpoint> later = {cuts[cut]};
    const auto rest = rest_of(resumed, [&] { later.push_back(resumed.checkpoint()); });
    EXPECT_EQ(rest,
              std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end()));
    EXPECT_EQ(later,
              std::vector<Checkpoint>(cuts.begin() + static_cast<std::ptrdiff_t>(cut), cuts.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, EachCut,
    ::testing::Values(
        Setting{.name = "in_order", .options = {.batch_size = 8}},
        Setting{.name = "drop", .options = {.batch_size = 8, .last_batch = LastBatch::drop}},
        Setting{.name = "fill", .options = {.batch_size = 8, .last_batch = LastBatch::fill}},
        Setting{.name = "shuffle", .options = {.batch_size = 8}, .sampler = {.shuffle = true}},
        Setting{.name = "window",
                .options = {.batch_size = 8},
                .sampler = {.shuffle = true, .window = 10}},
        Setting{.name = "drawn",
                .options = {.batch_size = 8},
                .sampler = {.replacement = true, .draws = 70}},
        Setting{.name = "sharded",
                .options = {.batch_size = 4},
                .sampler = {.shuffle = true, .shard = {1, 2}, .uneven = UnevenShards::wrap}},
        Setting{.name = "filtered", .options = {.batch_size = 8}, .filters = true},
        Setting{.name = "compact", .options = {.batch_size = 8, .compact = true}, .filters = true},
        Setting{.name = "compact_skip",
                .options = {.batch_size = 8, .compact = true, .on_error = OnError::skip},
                .filters = true,
                .fails = true},
        Setting{
            .name = "skip", .options = {.batch_size = 8, .on_error = OnError::skip}, .fails = true},
        Setting{.name = "replace",
                .options = {.batch_size = 8, .on_error = OnError::replace},
                .sampler = {.shuffle = true},
                .fails = true},
        Setting{.name = "replace_in_order",
                .options = {.batch_size = 8, .on_error = OnError::replace},
                .fails = true},
        Setting{.name = "until_end", .options = {.batch_size = 8}, .until_end = true}),
    [](const auto& one) { return one.param.name; });

// Sources of other kinds: they receive the position where the epoch goes on.
TEST(Checkpoints, RangesAndGroupsGoOn) {
  const auto numbers = []() -> generator<std::int64_t> {
    for (std::int64_t i = 0; i < 30; ++i) co_yield 7 * i;
  };
  const auto group = [](const BatchInfo& info) {
    std::vector<std::int64_t> all;
    for (const SampleKey& key : info.keys) all.push_back(7 * key.index + info.epoch);
    return all;
  };
  using Add = std::function<Value<std::int64_t>(Graph&)>;
  const Add all_kinds[] = {
      [&](Graph& g) { return g.read(values_of(numbers)); },
      [&](Graph& g) {
        return g.read(values_of(std::vector<std::int64_t>{5, 4, 3, 2, 1, 0, 1}));
      },
      [&](Graph& g) { return g.read(batches_of(30, 8, group)); },
      [&](Graph& g) { return g.read(batches_of(30, 3, group, {.threads = 2}), {.shuffle = true}); },
  };
  for (const Add& add : all_kinds) {
    const auto pipeline_from = [&](const std::optional<Checkpoint>& from) {
      return make_pipeline({.batch_size = 4, .seed = 3, .resume = from, .threads = 2},
                           [&](Graph& g) {
                             return std::tuple{add(g), g.uniform(0.f, 1.f)};
                           });
    };
    auto whole = pipeline_from({});
    std::vector<Checkpoint> cuts;
    const auto all = rest_of(whole, [&] { cuts.push_back(whole.checkpoint()); });
    for (std::size_t cut = 0; cut < cuts.size(); cut += 2) {
      auto resumed = pipeline_from(cuts[cut]);
      const auto at = static_cast<std::ptrdiff_t>(cut) + 1;
      EXPECT_EQ(rest_of(resumed), std::vector<std::string>(all.begin() + at, all.end())) << cut;
    }
  }
}

// A program whose samples are filtered, and fail in the source and in a step.
struct Damaged {
  std::uint64_t fates = 0;  // two bits for each sample
  std::int64_t samples = 0;
  bool until_end = false;
  PipelineOptions options = {};
};

auto damaged_pipeline(const Damaged& what, const std::optional<Checkpoint>& from) {
  PipelineOptions options = what.options;
  options.resume = from;
  return make_pipeline(options, [&](Graph& g) {
    const auto fate = [fates = what.fates](std::int64_t i) { return fates >> 2 * i & 3; };
    auto i = g.source(what.until_end ? kUntilEnd : what.samples,
                      [fate, samples = what.samples](const SampleInfo& info) {
                        if (info.index >= samples) throw EndOfEpoch();
                        if (fate(info.index) == 1) throw Error("no file");
                        return info.index;
                      });
    g.filter(g.map(
        "keep", [fate](std::int64_t x) { return fate(x) != 2; }, i));
    return g.map(
        "check",
        [fate](std::int64_t x) {
          if (fate(x) == 3) throw Error("no image");
          return x;
        },
        i);
  });
}

// Everything that an epoch delivers and throws, and the checkpoint's position after each batch.
struct Log {
  std::vector<std::string> lines;
  std::vector<std::pair<std::size_t, Checkpoint>> cuts;
  bool over_budget = false;
};
template <class P>
Log log_of(P& pipeline) {
  Log log;
  auto epoch = pipeline.epoch();
  for (bool over = false; !over;) {
    try {
      const auto batch = epoch.next();
      over = !batch;
      std::string line = batch ? std::to_string(batch->index()) + ":" : "the end";
      if (batch) {
        const auto add = [&line](const char* what, const auto& numbers) {
          line += what;
          for (const auto number : numbers) line += " " + std::to_string(number);
        };
        add("", batch->template get<0>());
        add(" ids", batch->ids());
        add(" missing", batch->missing());
        add(" replaced", batch->replaced());
        for (const SampleError& error : batch->errors()) line += " " + to_string(error);
      }
      log.lines.push_back(line);
      if (!log.over_budget) log.cuts.emplace_back(log.lines.size(), pipeline.checkpoint());
    } catch (const BatchError& error) {
      log.lines.emplace_back(error.what());
    } catch (const BudgetError& error) {
      // The message names the last error since the epoch began in this run.
      const std::string what = error.what();
      log.lines.push_back(what.substr(0, what.find("; the last")));
      log.over_budget = true;
    }
  }
  EXPECT_TRUE(pipeline.stats().epoch.balanced()) << to_string(pipeline.stats().epoch);
  return log;
}

// Batches, errors that are thrown, and their order.
TEST(Checkpoints, TheRestIsThatOfTheRunThatWasNotCut) {
  const OnError policies[] = {OnError::fail, OnError::skip, OnError::replace,
                              OnError::skip.within(2), OnError::fail.within(9, 0.3)};
  Random random({.seed = 20});
  const auto below = [&random](int n) {
    return static_cast<int>(random.below64(static_cast<std::uint64_t>(n)));
  };
  const int rounds = 1200 / testing::one_in(10, 60);
  for (int round = 0; round < rounds; ++round) {
    Damaged what{.samples = below(14), .until_end = below(2) == 0};
    for (int i = 0; i < 14; ++i) {
      if (below(3) == 0) what.fates |= static_cast<std::uint64_t>(1 + below(3)) << 2 * i;
    }
    what.options = {.batch_size = 1 + below(5),
                    .seed = 3,
                    .threads = 1 + below(3),
                    .prefetch = below(3),
                    .last_batch = static_cast<LastBatch>(below(3)),
                    .compact = below(2) == 0,
                    .on_error = policies[below(5)]};
    SCOPED_TRACE("round " + std::to_string(round) + ": " + std::to_string(what.samples) +
                 (what.until_end ? " samples until the end" : " samples") + ", fates " +
                 std::to_string(what.fates) + ", batches of " +
                 std::to_string(what.options.batch_size) + ", last_batch " +
                 std::to_string(static_cast<int>(what.options.last_batch)) +
                 (what.options.compact ? ", compact" : "") + ", policy " +
                 std::to_string(static_cast<int>(what.options.on_error.policy)));
    auto whole = damaged_pipeline(what, {});
    const Log log = log_of(whole);
    for (const auto& [at, cut] : log.cuts) {
      if (cut.epoch > 0) {
        EXPECT_EQ(cut.position, 0);
        continue;
      }
      auto resumed = damaged_pipeline(what, Checkpoint::from_json(cut.to_json()));
      const Log rest = log_of(resumed);
      EXPECT_EQ(rest.lines,
                std::vector<std::string>(log.lines.begin() + static_cast<std::ptrdiff_t>(at),
                                         log.lines.end()))
          << "after " << at << " lines";
      ASSERT_LE(rest.cuts.size(), log.cuts.size());
      const auto same = log.cuts.end() - std::ssize(rest.cuts);
      for (std::ptrdiff_t i = 0; i < std::ssize(rest.cuts); ++i) {
        // Before the end is known, a batch that may be the last one leaves its epoch open. Whether
        // it is known depends on the threads, in either run.
        const Checkpoint& of_rest = rest.cuts[static_cast<std::size_t>(i)].second;
        if (what.until_end && same[i].second.position == what.samples) continue;
        if (what.until_end && of_rest.position == what.samples) continue;
        if (what.until_end && i + 2 == std::ssize(rest.cuts)) continue;
        EXPECT_EQ(of_rest, same[i].second);
      }
    }
    EXPECT_TRUE(log.over_budget || log.cuts.back().second.epoch == 1) << "the epoch is over";
  }
}

// Errors that were thrown before are not thrown again; others are.
TEST(Checkpoints, AnotherBatchSizeThrowsEachErrorOnce) {
  for (const int first : {2, 3, 4}) {
    for (const int then : {1, 2, 3, 5, 16}) {
      Damaged what{.samples = 14, .options = {.batch_size = first, .threads = 2, .compact = true}};
      for (const int bad : {1, 5, 6, 11}) what.fates |= std::uint64_t{3} << 2 * bad;
      auto begun = damaged_pipeline(what, {});
      std::multiset<std::int64_t> thrown;
      const auto next_of = [&thrown](auto& epoch) {
        while (true) {
          try {
            return epoch.next().has_value();
          } catch (const BatchError& error) {
            for (const SampleError& one : error.errors()) thrown.insert(one.id);
          }
        }
      };
      auto epoch = begun.epoch();
      (void)next_of(epoch);
      what.options.batch_size = then;
      auto resumed = damaged_pipeline(what, begun.checkpoint());
      auto rest = resumed.epoch();
      while (next_of(rest)) {
      }
      EXPECT_EQ(thrown, (std::multiset<std::int64_t>{1, 5, 6, 11})) << first << ", " << then;
    }
  }
}

TEST(Checkpoints, TakeAnotherBatchSize) {
  const Setting setting{.name = "", .options = {.batch_size = 8}, .sampler = {.shuffle = true}};
  auto whole = pipeline_of(setting);
  std::vector<std::int64_t> all;
  Checkpoint cut;
  for (const auto& batch : whole.epoch()) {
    for (const SampleKey& key : batch.keys()) all.push_back(key.index);
    if (batch.index() == 2) cut = whole.checkpoint();
  }
  Setting other = setting;
  other.options.batch_size = 5;
  auto resumed = pipeline_of(other, cut);
  std::vector<std::int64_t> rest;
  for (const auto& batch : resumed.epoch()) {
    for (const SampleKey& key : batch.keys()) rest.push_back(key.index);
  }
  EXPECT_EQ(rest, std::vector<std::int64_t>(all.begin() + 24, all.end()));
}

// Each process takes some batches, then all of them stop, and others continue.
TEST(Checkpoints, TakeAnotherNumberOfShards) {
  for (const bool shuffle : {false, true}) {
    for (const auto& [first, then, last] :
         {std::tuple{4, 2, 3}, std::tuple{1, 5, 5}, std::tuple{3, 3, 1}, std::tuple{2, 7, 2}}) {
      SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(then) + ", " +
                   std::to_string(last));
      std::multiset<std::int64_t> seen;
      std::optional<Checkpoint> from;
      const auto run = [&](std::int64_t shards, std::int64_t batches) {
        std::optional<Checkpoint> reached;
        for (std::int64_t shard = 0; shard < shards; ++shard) {
          const Setting setting{.name = "",
                                .options = {.batch_size = 3},
                                .sampler = {.shuffle = shuffle, .shard = {shard, shards}}};
          auto pipeline = pipeline_of(setting, from);
          auto epoch = pipeline.epoch();
          for (std::int64_t k = 0; k < batches; ++k) {
            const auto batch = epoch.next();
            if (!batch) break;
            EXPECT_EQ(batch->epoch(), 0);
            for (const SampleKey& key : batch->keys()) seen.insert(key.index);
          }
          if (shard == 0) reached = pipeline.checkpoint();
        }
        from = reached;
      };
      run(first, 2);
      run(then, 1);
      run(last, kSamples);
      std::multiset<std::int64_t> each;
      for (std::int64_t i = 0; i < kSamples; ++i) each.insert(i);
      EXPECT_EQ(seen, each);
    }
  }
}

TEST(Checkpoints, AreOfTheEpochThatWasLeftUntilAnotherBegins) {
  const Setting setting{.name = "", .options = {.batch_size = 8}};
  auto pipeline = pipeline_of(setting);
  EXPECT_EQ(pipeline.checkpoint().epoch, 0);
  for (const auto& batch : pipeline.epoch()) {
    if (batch.index() == 1) break;
  }
  EXPECT_EQ(pipeline.checkpoint().epoch, 0);
  EXPECT_EQ(pipeline.checkpoint().position, 16);
  EXPECT_EQ(pipeline.checkpoint().batch, 2);
  {
    auto second = pipeline.epoch();
    EXPECT_EQ(pipeline.checkpoint().epoch, 1);
    EXPECT_EQ(pipeline.checkpoint().position, 0);
  }
  pipeline.reset(7);
  EXPECT_EQ(pipeline.checkpoint().epoch, 7);
  pipeline.reset(2);
  EXPECT_EQ(pipeline.checkpoint().epoch, 2);
  EXPECT_EQ(pipeline.checkpoint().position, 0);
}

TEST(Checkpoints, ResetBeginsTheWholeEpoch) {
  const Setting setting{.name = "", .options = {.batch_size = 8}};
  auto whole = pipeline_of(setting);
  auto epoch = whole.epoch();
  const std::string first = text_of(*epoch.next());
  auto resumed = pipeline_of(setting, whole.checkpoint());
  EXPECT_EQ(resumed.next_epoch(), 0);
  resumed.reset(0);
  auto again = resumed.epoch();
  EXPECT_EQ(text_of(*again.next()), first);
}

// A budget includes earlier failures.
TEST(Checkpoints, KeepTheBudgetOfErrors) {
  Setting setting{
      .name = "", .options = {.batch_size = 8, .on_error = OnError::skip.within(4)}, .fails = true};
  const auto batches_until_over = [](auto& pipeline) {
    auto epoch = pipeline.epoch();
    std::int64_t last = -1;
    EXPECT_THROW(while (const auto batch = epoch.next()) last = batch->index(), BudgetError);
    return last;
  };
  auto whole = pipeline_of(setting);
  const std::int64_t last = batches_until_over(whole);
  ASSERT_GE(last, 2);
  auto resumed = pipeline_of(setting, [&] {
    auto begun = pipeline_of(setting);
    auto epoch = begun.epoch();
    while (epoch.next()->index() < last - 1) {
    }
    return begun.checkpoint();
  }());
  EXPECT_EQ(batches_until_over(resumed), last);
}

// A resumed source receives the same SampleInfo as without the interruption.
TEST(Checkpoints, SourcesAreToldOfTheirPlace) {
  const auto pipeline_from = [](const std::optional<Checkpoint>& from) {
    return make_pipeline({.batch_size = 4, .resume = from}, [](Graph& g) {
      return g.source(20, [](const SampleInfo& info) {
        return std::vector<std::int64_t>{info.epoch,          info.batch, info.index_in_batch,
                                         info.index_in_epoch, info.index, info.repeat};
      });
    });
  };
  auto whole = pipeline_from({});
  auto epoch = whole.epoch();
  epoch.next();
  auto resumed = pipeline_from(whole.checkpoint());
  auto rest = resumed.epoch();
  const auto wanted = epoch.next();
  const auto got = rest.next();
  EXPECT_EQ(std::vector(got->get<0>().begin(), got->get<0>().end()),
            std::vector(wanted->get<0>().begin(), wanted->get<0>().end()));
  EXPECT_EQ(resumed.samples(), 20);
}

}  // namespace checkpoint_test
}  // namespace sluice
