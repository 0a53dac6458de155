// X1 to X9: the meaning of sources; see tests/conformance.md.
#include "tests/graph/conformance/sources.h"

#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace sluice::conformance {
namespace sources_test {

std::int64_t index_of(std::int64_t i, std::int64_t) { return i; }

TEST(Sources, X1_SamplesKnowTheirPlace) {
  for (const int threads : {0, 4}) {
    auto pipeline = make_pipeline({.batch_size = 6, .threads = 2}, [&](Graph& g) {
      return g.source(40, info_row, {.threads = threads});
    });
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      std::int64_t next = 0;
      for (const Row& row : epoch_of(pipeline).all()) {
        EXPECT_EQ(row, (Row{next, next % 6, next / 6, epoch}));
        ++next;
      }
      EXPECT_EQ(next, 40);
    }
  }
}

TEST(Sources, X2_GroupsKnowTheirs) {
  for (const int threads : {0, 3}) {
    auto pipeline = make_pipeline({.batch_size = 5, .threads = 2}, [&](Graph& g) {
      return g.read(batches_of(22, 8,
                               [](const BatchInfo& info) {
                                 EXPECT_EQ(info.keys.size(), info.batch == 2 ? 6u : 8u);
                                 EXPECT_EQ(info.keys.front(), (SampleKey{info.epoch, info.first}));
                                 EXPECT_EQ(info.first, info.batch * 8);
                                 return std::vector<std::int64_t>(info.keys.size(),
                                                                  100 * info.epoch + info.batch);
                               },
                               {.threads = threads}));
    });
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      std::int64_t i = 0;
      for (const std::int64_t group : epoch_of(pipeline).all())
        EXPECT_EQ(group, 100 * epoch + i++ / 8);
      EXPECT_EQ(i, 22);
    }
  }
}

TEST(Sources, X3_X44_AreAskedForMoreThanThereIsAndKeepSayingSo) {
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .window = 64},
                                  [&](Graph& g) { return give(g, mode, 3, 10, index_of); });
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto run = pipeline.epoch();
      std::vector<std::int64_t> all;
      while (const auto batch = run.next()) {
        for (const std::int64_t i : batch->get<0>()) all.push_back(i);
      }
      EXPECT_EQ(all, first_numbers(10)) << static_cast<int>(mode);
      for (int again = 0; again < 3; ++again) EXPECT_FALSE(run.next().has_value());
    }
  }
}

// Not the whole batch is lost.
TEST(Sources, X4_TheLastBatchIsAsLastBatchSays) {
  for (const Mode mode : kModes) {
    for (const LastBatch last : {LastBatch::partial, LastBatch::drop, LastBatch::fill}) {
      auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .last_batch = last},
                                    [&](Graph& g) { return give(g, mode, 3, 10, index_of); });
      const auto trace = epoch_of(pipeline);
      ASSERT_EQ(trace.batches.size(), last == LastBatch::drop ? 2u : 3u);
      const std::vector<std::int64_t> end = trace.batches.back();
      EXPECT_EQ(end, last == LastBatch::drop      ? (std::vector<std::int64_t>{4, 5, 6, 7})
                     : last == LastBatch::partial ? (std::vector<std::int64_t>{8, 9})
                                                  : (std::vector<std::int64_t>{8, 9, 9, 9}));
    }
  }
}

TEST(Sources, X4_AGroupMayGiveFewer) {
  for (const int threads : {0, 2}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      return g.read(batches_of(kUntilEnd, 4,
                               [](const BatchInfo& info) {
                                 std::vector<std::int64_t> all;
                                 for (std::int64_t i = info.batch; i < 4; ++i)
                                   all.push_back(10 * info.batch + i);
                                 return all;  // the fifth has none
                               },
                               {.threads = threads}));
    });
    const auto trace = epoch_of(pipeline);
    EXPECT_EQ(trace.batches,
              (std::vector<std::vector<std::int64_t>>{{0, 1, 2, 3}, {11, 12, 13}, {22, 23}, {33}}));
    EXPECT_EQ(pipeline.stats().epoch.filtered, 6);
  }
}

TEST(Sources, X5_TheFirstToEndEndsTheEpoch) {
  for (const Mode mode : kModes) {
    const std::vector<std::array<std::int64_t, 3>> all_lengths = {
        {8, 4, 6}, {8, 6, 4}, {4, 6, 8}, {1, 1, 1}};
    for (const auto& lengths : all_lengths) {
      auto pipeline = make_pipeline({.batch_size = 3, .threads = 2}, [&](Graph& g) {
        auto a = give(g, Mode::threads, 2, lengths[0], index_of);
        auto b = give(g, Mode::values, 2, lengths[1], index_of);
        return a * 100 + b * 10 + give(g, mode, 2, lengths[2], index_of);
      });
      for (int epoch = 0; epoch < 2; ++epoch) {
        std::vector<std::int64_t> expected =
            first_numbers(*std::min_element(lengths.begin(), lengths.end()));
        for (std::int64_t& i : expected) i *= 111;
        EXPECT_EQ(epoch_of(pipeline).all(), expected);
      }
      EXPECT_TRUE(pipeline.stats().total.balanced());
      EXPECT_EQ(pipeline.stats().total.failed, 0);
    }
  }
}

// One of the sources may know its length.
TEST(Sources, X5_ALengthThatIsKnownIsAnEndAsWell) {
  for (const std::int64_t known : {3, 20}) {
    for (const bool first : {true, false}) {
      for (const Mode mode : {Mode::plain, Mode::threads, Mode::values}) {
        auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
          if (first) {
            auto x = indices(g, known);
            return x + give(g, mode, 2, 7, index_of);
          }
          auto y = give(g, mode, 2, 7, index_of);
          return y + g.read(batches_of(known, 2, [](const BatchInfo& info) {
            std::vector<std::int64_t> all;
            for (const SampleKey& key : info.keys) all.push_back(key.index);
            return all;
          }));
        });
        EXPECT_EQ(epoch_of(pipeline).all().size(),
                  static_cast<std::size_t>(std::min<std::int64_t>(known, 7)));
        EXPECT_EQ(pipeline.stats().epoch.failed, 0);
      }
    }
  }
}

// Four calls meet in the function. That needs four threads.
class Meeting {
 public:
  explicit Meeting(int of) : of_(of) {}
  void come() {
    std::unique_lock lock(mutex_);
    ++here_;
    all_.notify_all();
    all_.wait(lock, [&] { return here_ >= of_; });
  }

 private:
  const int of_;
  std::mutex mutex_;
  std::condition_variable all_;
  int here_ = 0;
};

TEST(Sources, X6_CallablesAreCalledByAllThreads) {
  for (const bool groups : {false, true}) {
    const auto meeting = std::make_shared<Meeting>(4);
    auto pipeline = make_pipeline({.batch_size = 8, .threads = 1}, [&](Graph& g) {
      if (!groups) {
        return g.source(64,
                        [meeting](const SampleInfo& info) {
                          meeting->come();
                          return info.index;
                        },
                        {.threads = 4});
      }
      return g.read(batches_of(64, 2,
                               [meeting](const BatchInfo& info) {
                                 meeting->come();
                                 return std::vector<std::int64_t>{info.first, info.first + 1};
                               },
                               {.threads = 4}));
    });
    EXPECT_EQ(epoch_of(pipeline).all(), first_numbers(64));
    EXPECT_EQ(pipeline.stats().io_threads, groups ? 0 : 4);
  }
}

TEST(Sources, X6_RangesAreGoneThroughByOneThreadWhichDoesNotCompute) {
  std::mutex mutex;
  std::set<std::thread::id> pulling, computing;
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 3}, [&](Graph& g) {
    auto x = g.read(values_of([&]() -> generator<int> {
      return [](std::mutex* m, std::set<std::thread::id>* ids) -> generator<int> {
        for (int i = 0; i < 100; ++i) {
          {
            const std::lock_guard lock(*m);
            ids->insert(std::this_thread::get_id());
          }
          co_yield i;
        }
      }(&mutex, &pulling);
    }));
    return g.map(
        "compute",
        [&](int i) {
          const std::lock_guard lock(mutex);
          computing.insert(std::this_thread::get_id());
          return i;
        },
        x);
  });
  EXPECT_EQ(epoch_of(pipeline).all().size(), 100u);
  EXPECT_EQ(pulling.size(), 1u);
  EXPECT_EQ(computing.count(*pulling.begin()), 0u);
}

TEST(Sources, X7_ThreadsCopyNothing) {
  const std::vector<std::uint8_t> kept(1000, 3);
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      auto bytes = give(g, mode, 3, 20,
                        [&kept](std::int64_t, std::int64_t) { return Bytes::view_of(kept); });
      return g.map(
          "where", [&kept](const Bytes& b) { return static_cast<int>(b.data() == kept.data()); },
          bytes);
    });
    EXPECT_EQ(epoch_of(pipeline).all(), std::vector<int>(20, 1)) << static_cast<int>(mode);
  }
}

TEST(Sources, X8_CycleSaysWhatFollowsTheEnd) {
  struct Case {
    Cycle cycle;
    std::vector<std::vector<int>> epochs;  // of a range of 3 beside a source of 5
  };
  const std::vector<Case> cases = {{Cycle::raise, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}},
                                   {Cycle::quiet, {{0, 1, 2, 0, 1}, {0, 1, 2, 0, 1}}},
                                   {Cycle::off, {{0, 1, 2}, {}, {}}}};
  for (const Case& one : cases) {
    auto pipeline = make_pipeline({.batch_size = 2, .threads = 2}, [&](Graph& g) {
      auto x = g.read(values_of(std::vector<int>{0, 1, 2}, {.cycle = one.cycle}));
      return g.map(
          "first", [](int a, std::int64_t) { return a; }, x, indices(g, 5));
    });
    for (const auto& expected : one.epochs) EXPECT_EQ(epoch_of(pipeline).all(), expected);
  }
}

// An epoch may be left at any time. Values that were made ahead do not show up in the next one.
TEST(Sources, X9_TheNextEpochBeginsAtZero) {
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 5, .threads = 2}, [&](Graph& g) {
      return give(g, mode, 3, 40,
                  [](std::int64_t i, std::int64_t epoch) { return 100 * epoch + i; });
    });
    for (std::int64_t epoch = 0; epoch < 6; ++epoch) {
      auto run = pipeline.epoch();
      for (std::int64_t b = 0; b <= epoch % 4; ++b) {
        const auto batch = run.next();
        ASSERT_TRUE(batch.has_value());
        EXPECT_EQ(batch->get<0>()[0], 100 * epoch + 5 * b);
      }
    }
    pipeline.reset(2);
    EXPECT_EQ(epoch_of(pipeline).all().front(), 200);
  }
}

}  // namespace sources_test
}  // namespace sluice::conformance
