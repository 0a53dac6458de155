// X34 to X45: epochs, their ends, reset and order; see tests/conformance.md.
#include "tests/graph/conformance/sources.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice::conformance {
namespace sources_epochs_test {

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

TEST(SourceEpochs, X34_TheEndEndsAndAnErrorIsThrown) {
  for (const Mode mode : kModes) {
    for (const int threads : {1, 4}) {
      for (const int batch_size : {1, 15, 150}) {
        for (const bool fails : {false, true}) {
          auto pipeline = make_pipeline({.batch_size = batch_size, .threads = 2}, [&](Graph& g) {
            return give(g, mode, threads, 50, [fails](std::int64_t i, std::int64_t) {
              if (fails && i == 32) throw std::runtime_error("custom");
              return i;
            });
          });
          const auto trace = epoch_of(pipeline);
          EXPECT_EQ(trace.error.find("custom") != std::string::npos, fails);
          if (!fails) {
            EXPECT_EQ(trace.all(), numbers(0, 50));
          }
        }
      }
    }
  }
}

// 250 samples: DALI makes 16 batches of 15 and 1 of 150. Here the rest may come as well.
TEST(SourceEpochs, X35_AfterResetTheSameComesAgain) {
  for (const Mode mode : kModes) {
    for (const auto& [batch_size, whole] : std::map<int, std::size_t>{{15, 16}, {150, 1}}) {
      for (const LastBatch last : {LastBatch::drop, LastBatch::partial}) {
        auto pipeline = make_pipeline(
            {.batch_size = batch_size, .threads = 2, .last_batch = last}, [&](Graph& g) {
              return give(g, mode, 4, 250,
                          [](std::int64_t i, std::int64_t epoch) { return 1000 * epoch + i; });
            });
        const auto first = epoch_of(pipeline);
        EXPECT_EQ(first.batches.size(), whole + (last == LastBatch::partial ? 1 : 0));
        EXPECT_NE(epoch_of(pipeline), first);
        pipeline.reset();
        EXPECT_EQ(epoch_of(pipeline), first);
      }
    }
  }
}

TEST(SourceEpochs, X36_TheEpochIsKnownToAll) {
  for (const std::int64_t iterations : {1, 3, 7}) {
    for (const int batch_size : {1, 50}) {
      for (const int depth : {1, 5}) {
        for (const int threads : {0, 4}) {
          const std::int64_t count = iterations * batch_size;
          auto pipeline = make_pipeline(
              {.batch_size = batch_size, .threads = 2, .prefetch = depth}, [&](Graph& g) {
                auto row = g.source(count, info_row, {.threads = threads});
                auto key = g.read(
                    batches_of(count, batch_size,
                               [](const BatchInfo& info) {
                                 std::vector<Row> all;
                                 for (std::size_t i = 0; i < info.keys.size(); ++i) {
                                   const auto at = static_cast<std::int64_t>(i);
                                   all.push_back({info.keys[i].index, at, info.batch, info.epoch});
                                 }
                                 return all;
                               },
                               {.threads = threads}));
                return g.map(
                    "row",
                    [](const Row& a, const Row& b) {
                      return a == b ? a : Row{-1, -1, -1, -1};
                    },
                    row, key);
              });
          for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
            std::int64_t next = 0;
            for (const Row& row : epoch_of(pipeline).all()) {
              ASSERT_EQ(row, (Row{next, next % batch_size, next / batch_size, epoch}));
              ++next;
            }
            EXPECT_EQ(next, count);
          }
        }
      }
    }
  }
}

// Uses a range of so many numbers, as an object, as a function that makes one, and as a generator's
// function.
template <class Use>
void for_each_range(std::int64_t count, const Use& use) {
  use([=](Graph& g, Cycle cycle) {
    return g.read(values_of(numbers(0, count), {.cycle = cycle}));
  });
  use([=](Graph& g, Cycle cycle) {
    return g.read(values_of([count] { return numbers(0, count); }, {.cycle = cycle}));
  });
  use([=](Graph& g, Cycle cycle) {
    return g.read(values_of(
        [count] {
          return [](std::int64_t n) -> generator<std::int64_t> {
            for (std::int64_t i = 0; i < n; ++i) co_yield i;
          }(count);
        },
        {.cycle = cycle}));
  });
}

TEST(SourceEpochs, X37_CycleRaise) {
  for (const std::int64_t iterations : {1, 4}) {
    for_each_range(5 * iterations, [&](const auto& range) {
      for (const int depth : {1, 2, 6}) {
        auto pipeline = make_pipeline({.batch_size = 5, .threads = 2, .prefetch = depth},
                                      [&](Graph& g) { return range(g, Cycle::raise); });
        for (int epoch = 0; epoch < 3; ++epoch) {
          const auto trace = epoch_of(pipeline);
          EXPECT_EQ(trace.batches.size(), static_cast<std::size_t>(iterations));
          EXPECT_EQ(trace.all(), numbers(0, 5 * iterations));
        }
      }
    });
  }
}

TEST(SourceEpochs, X38_CycleQuiet) {
  for_each_range(15, [&](const auto& range) {
    auto pipeline = make_pipeline({.batch_size = 5, .threads = 2},
                                  [&](Graph& g) { return range(g, Cycle::quiet); });
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto run = pipeline.epoch();
      for (int b = 0; b < 10; ++b) {  // three times the range, and once more
        const auto batch = run.next();
        ASSERT_TRUE(batch.has_value());
        EXPECT_EQ(batch->template get<0>()[0], b % 3 * 5);
      }
    }
  });
}

// Goes through its numbers once, however often it begins.
struct NoRewind {
  std::shared_ptr<std::int64_t> at = std::make_shared<std::int64_t>(0);
  generator<std::int64_t> operator()() const {
    return [](std::shared_ptr<std::int64_t> place) -> generator<std::int64_t> {
      while (*place < 10) co_yield std::int64_t{(*place)++};
    }(at);
  }
};

TEST(SourceEpochs, X39_CycleQuietOfWhatDoesNotRewind) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    return g.read(values_of(NoRewind(), {.cycle = Cycle::quiet}));
  });
  EXPECT_EQ(epoch_of(pipeline).all(), numbers(0, 10));
  EXPECT_TRUE(epoch_of(pipeline).all().empty());
  pipeline.reset();
  EXPECT_TRUE(epoch_of(pipeline).all().empty());
}

TEST(SourceEpochs, X40_CycleOff) {
  const auto check = [](auto&& pipeline) {
    EXPECT_EQ(epoch_of(pipeline).all(), numbers(0, 7));
    EXPECT_TRUE(epoch_of(pipeline).all().empty());
    pipeline.reset();
    EXPECT_TRUE(epoch_of(pipeline).all().empty());
  };
  for_each_range(7, [&](const auto& range) {
    check(make_pipeline({.batch_size = 4, .threads = 2},
                        [&](Graph& g) { return range(g, Cycle::off); }));
  });
  // A generator is so by its nature.
  check(make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    return g.read(values_of([](std::int64_t n) -> generator<std::int64_t> {
      for (std::int64_t i = 0; i < n; ++i) co_yield i;
    }(7)));
  }));
}

TEST(SourceEpochs, X41_SourcesOfDifferentLength) {
  using Lengths = std::array<std::int64_t, 3>;
  for (const Lengths& lengths : {Lengths{8, 4, 6}, {8, 6, 4}, {4, 6, 8}, {1, 1, 1}}) {
    for (const Cycle cycle : {Cycle::raise, Cycle::quiet, Cycle::off}) {
      for (const int depth : {1, 2, 5}) {
        const auto traces = [&](int threads, Mode mode) {
          auto pipeline = make_pipeline(
              {.batch_size = 2, .threads = threads, .prefetch = depth}, [&](Graph& g) {
                auto a = g.read(values_of(numbers(0, lengths[0]), {.cycle = cycle}));
                auto b = g.read(values_of(numbers(0, lengths[1]), {.cycle = cycle}));
                auto c = give(g, mode, 2, lengths[2],
                              [](std::int64_t i, std::int64_t epoch) { return 100 * epoch + i; });
                return a * 10'000'000 + b * 100'000 + c;
              });
          std::vector<Trace<std::int64_t>> all;
          for (int run = 0; run < 17; ++run) all.push_back(epoch_of(pipeline));
          return all;
        };
        const auto expected = traces(1, Mode::plain);
        const std::int64_t shortest = *std::min_element(lengths.begin(), lengths.end());
        EXPECT_EQ(expected[0].all().size(),
                  static_cast<std::size_t>(cycle == Cycle::quiet ? lengths[2] : shortest));
        EXPECT_EQ(expected[1].all().empty(), cycle == Cycle::off);
        for (const Mode mode : {Mode::threads, Mode::batches_on_threads})
          EXPECT_TRUE(traces(3, mode) == expected);
      }
    }
  }
}

TEST(SourceEpochs, X42_WhenOneEndsAllBeginAnew) {
  for (const Mode mode : kParallel) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      auto three = g.read(values_of(numbers(0, 12)));
      auto parallel = give(g, mode, 4, 1000, [](std::int64_t i, std::int64_t) { return i; });
      auto plain = g.source(kUntilEnd, [](const SampleInfo& info) { return info.index; });
      return g.map(
          "equal",
          [](std::int64_t a, std::int64_t b, std::int64_t c) { return a == b && b == c ? a : -1; },
          three, parallel, plain);
    });
    for (int epoch = 0; epoch < 3; ++epoch) EXPECT_EQ(epoch_of(pipeline).all(), numbers(0, 12));
  }
}

TEST(SourceEpochs, X43_AShuffleOfTheSourcesOwn) {
  for (const int batch_size : {4, 100}) {
    for (const std::int64_t iterations : {3, 7}) {
      for (const std::int64_t trailing : {0, 99}) {
        if (trailing >= batch_size) continue;
        for (const int depth : {1, 5}) {
          for (const int threads : {0, 3}) {
            const std::int64_t count = iterations * batch_size + trailing;
            auto pipeline = make_pipeline(
                {.batch_size = batch_size,
                 .threads = 2,
                 .prefetch = depth,
                 .last_batch = LastBatch::drop},
                [&](Graph& g) {
                  return g.source(count,
                                  [count](const SampleInfo& info) {
                                    const auto epoch = static_cast<std::uint64_t>(info.epoch);
                                    return Permutation(count, {42, epoch})(info.index);
                                  },
                                  {.threads = threads});
                });
            for (int epoch = 0; epoch < 3; ++epoch) {
              const auto all = epoch_of(pipeline).all();
              EXPECT_EQ(all.size(), static_cast<std::size_t>(iterations * batch_size));
              EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
            }
          }
        }
      }
    }
  }
}

// The user's code shards ranges; the sampler shards all other sources.
TEST(SourceEpochs, X45_ShardsOfSources) {
  for (const bool range : {false, true}) {
    std::set<std::int64_t> all;
    for (std::int64_t shard = 0; shard < 3; ++shard) {
      auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
        if (range) {
          return g.read(values_of([shard] {
            return [](std::int64_t first) -> generator<std::int64_t> {
              for (std::int64_t i = first; i < 20; i += 3) co_yield i;
            }(shard);
          }));
        }
        return g.source(20, [](const SampleInfo& info) { return info.index; },
                        {.sampler = {.shard = {shard, 3}}, .threads = 2});
      });
      for (const std::int64_t i : epoch_of(pipeline).all()) EXPECT_TRUE(all.insert(i).second);
    }
    EXPECT_EQ(all.size(), 20u);
  }
}

}  // namespace sources_epochs_test
}  // namespace sluice::conformance
