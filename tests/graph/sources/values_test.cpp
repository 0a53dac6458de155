// Ranges beyond the cases of tests/graph/conformance: errors, epochs that end early, refused
// ranges.
#include "tests/graph/sources.h"
#include <sluice/graph/checkpoint.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/sources/values.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace values_test {

generator<std::int64_t> count_to(std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) co_yield i;
}

template <class T>
std::vector<T> all_of(Pipeline<T>& pipeline) {
  std::vector<T> all;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) all.push_back(batch.template get<0>()[i]);
  }
  return all;
}

// The sample at a position has the value of that number, whatever happened to others.
TEST(Values, BelongToPositions) {
  for (const int threads : {1, 3}) {
    for (const int window : {4, 64}) {
      auto pipeline = make_pipeline(
          {.batch_size = 4, .threads = threads, .window = window, .on_error = OnError::skip},
          [&](Graph& g) {
            auto first = g.source(kUntilEnd, [](const SampleInfo& info) {
              if (info.index % 3 == 0) throw std::runtime_error("three");
              return info.index;
            });
            return g.map(
                "second",
                [](std::int64_t a, std::int64_t b) {
                  EXPECT_EQ(a, b);
                  return b;
                },
                first, g.read(values_of([] { return count_to(200); })));
          });
      for (int epoch = 0; epoch < 2; ++epoch) {
        const auto all = all_of(pipeline);
        EXPECT_EQ(all.size(), 133u);
      }
    }
  }
}

TEST(Values, AreTakenFromAnyRange) {
  const std::list<std::string> words = {"a", "b", "c"};
  auto pipeline = make_pipeline({.batch_size = 2, .threads = 1},
                                [&](Graph& g) { return g.read(values_of(words)); });
  EXPECT_EQ(all_of(pipeline), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(all_of(pipeline), (std::vector<std::string>{"a", "b", "c"}));
  auto squares = make_pipeline({.batch_size = 2, .threads = 1}, [&](Graph& g) {
    return g.read(values_of([](const EpochInfo& info) {
      return std::vector<std::int64_t>(3, info.epoch * info.epoch);
    }));
  });
  (void)all_of(squares);
  (void)all_of(squares);
  EXPECT_EQ(all_of(squares), (std::vector<std::int64_t>{4, 4, 4}));
}

// If the values cannot begin, epoch() throws, and can be called again.
TEST(Values, AFunctionThatThrowsIsToldByEpoch) {
  int calls = 0;
  auto pipeline = make_pipeline({.batch_size = 2, .threads = 1}, [&](Graph& g) {
    return g.read(values_of([&calls] {
      if (++calls == 1) throw std::runtime_error("no such list");
      return count_to(3);
    }));
  });
  EXPECT_THROW((void)pipeline.epoch(), std::runtime_error);
  EXPECT_EQ(all_of(pipeline).size(), 3u);
}

TEST(Values, AreNotLookedAtAlone) {
  auto pipeline = make_pipeline({.batch_size = 2, .threads = 1}, [&](Graph& g) {
    return g.read(values_of([] { return count_to(20); }));
  });
  auto run = pipeline.epoch();
  EXPECT_EQ(
      pipeline.inspect(5).error()->what,
      "its source produces its values once and in order, so a single sample cannot be requested");
  std::int64_t next = 0;
  while (const auto batch = run.next()) {
    for (const std::int64_t i : batch->get<0>()) EXPECT_EQ(i, next++);
  }
  EXPECT_EQ(next, 20);
}

// Its iterator blocks until it is released. It also knows when the range is gone.
struct Slow {
  std::mutex mutex;
  std::condition_variable changed;
  bool inside = false, open = false;
  std::atomic<int> ranges{0};

  generator<int> range() {
    struct Counted {
      explicit Counted(Slow& s) : slow(s) { ++slow.ranges; }
      ~Counted() { --slow.ranges; }
      Counted(const Counted&) = delete;
      Counted& operator=(const Counted&) = delete;
      Slow& slow;
    };
    const Counted counted(*this);
    for (int i = 0;; ++i) {
      if (i == 3) {
        std::unique_lock lock(mutex);
        inside = true;
        changed.notify_all();
        changed.wait(lock, [&] { return open; });
      }
      co_yield i;
    }
  }
  void await_inside() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside; });
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

// When an end returns, no thread is in the range any more, and the range is gone.
TEST(Values, EndsWaitForTheOneWhoIsInTheRange) {
  enum class By { cancel, reset, destruction };
  for (const By by : {By::cancel, By::reset, By::destruction}) {
    Slow slow;
    std::optional pipeline(
        make_pipeline({.batch_size = 2, .threads = 2, .window = 16},
                      [&](Graph& g) { return g.read(values_of([&] { return slow.range(); })); }));
    {
      auto run = pipeline->epoch();
      slow.await_inside();
      std::thread opener([&] { slow.let_go(); });
      if (by == By::cancel) {
        pipeline->cancel();
        EXPECT_FALSE(run.next().has_value());
      } else if (by == By::reset) {
        pipeline->reset();
      } else {
        pipeline.reset();
      }
      EXPECT_EQ(slow.ranges, 0);
      opener.join();
    }
    if (!pipeline) continue;
    EXPECT_TRUE(pipeline->stats().epoch.balanced());
    auto again = pipeline->epoch();
    EXPECT_EQ(again.next()->get<0>()[1], 1);
  }
}

TEST(Values, MayNotAskTheirPipelineToWaitForThem) {
  std::optional<Pipeline<int>> pipeline;
  pipeline.emplace(make_pipeline({.threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
    return g.read(values_of([&pipeline] {
      return [](std::optional<Pipeline<int>>* of) -> generator<int> {
        (*of)->reset();
        co_yield 1;
      }(&pipeline);
    }));
  }));
  const auto batch = pipeline->epoch().next();
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_NE(batch->errors()[0].what.find("was called inside a step"), std::string::npos);
}

// Epochs that are left at once, in all states of the range.
TEST(Values, AreLeftAtAnyTime) {
  auto pipeline = make_pipeline({.batch_size = 3, .threads = 2}, [](Graph& g) {
    auto a = g.read(values_of([] { return count_to(30); }));
    return g.map(
        "first", [](std::int64_t x, std::int64_t) { return x; }, a,
        g.read(values_of([] { return count_to(17); }, {.cycle = Cycle::quiet})));
  });
  for (int round = 0; round < 200; ++round) {
    auto run = pipeline.epoch();
    for (int b = 0; b < round % 12; ++b) {
      const auto batch = run.next();
      ASSERT_EQ(batch.has_value(), b < 10);
      if (batch) {
        ASSERT_EQ(batch->get<0>()[0], 3 * b);
      }
    }
  }
  EXPECT_EQ(all_of(pipeline).size(), 30u);
}

// Values that can be read only once are delivered in epoch 0, whichever process runs the epochs
// after it.
TEST(Values, GivenOnceAreNotGivenAgainByARunThatGoesOn) {
  const auto make = [](bool itself, const std::optional<Checkpoint>& from) {
    PipelineOptions options{.batch_size = 4, .threads = 2};
    options.resume = from;
    return make_pipeline(options, [&](Graph& g) {
      return itself ? g.read(values_of(count_to(10)))
                    : g.read(values_of([] { return count_to(10); }, {.cycle = Cycle::off}));
    });
  };
  for (const bool itself : {false, true}) {
    auto before = make(itself, {});
    std::optional<Checkpoint> cut;
    {
      auto epoch = before.epoch();
      ASSERT_TRUE(epoch.next());
      cut = before.checkpoint();
      while (epoch.next()) continue;
    }
    auto in_the_middle = make(itself, cut);
    EXPECT_EQ(all_of(in_the_middle), (std::vector<std::int64_t>{4, 5, 6, 7, 8, 9}));
    EXPECT_TRUE(all_of(in_the_middle).empty());
    EXPECT_EQ(before.checkpoint().epoch, 1);
    auto after = make(itself, before.checkpoint());
    for (int epoch = 1; epoch < 4; ++epoch) EXPECT_TRUE(all_of(after).empty()) << epoch;
  }
}

// A position that no run can have reached ends the epoch at once.
TEST(Values, ACheckpointFarBehindTheEndEndsTheEpoch) {
  const auto make = [](const std::optional<Checkpoint>& from) {
    PipelineOptions options{.batch_size = 4, .threads = 2, .window = 8};
    options.resume = from;
    return make_pipeline(options,
                         [](Graph& g) { return g.read(values_of([] { return count_to(10); })); });
  };
  auto before = make({});
  {
    auto epoch = before.epoch();
    ASSERT_TRUE(epoch.next());
  }
  for (const std::int64_t far : {std::int64_t{1000}, std::int64_t{100'000'000'000}}) {
    Checkpoint edited = before.checkpoint();
    edited.position = far;
    edited.batch = far / 4;
    auto pipeline = make(edited);
    EXPECT_TRUE(all_of(pipeline).empty());
    EXPECT_EQ(all_of(pipeline).size(), 10U) << "the next epoch is whole";
  }
}

}  // namespace values_test
}  // namespace sluice
