// Outcomes of samples: errors, policies, budgets, canceling, stalls.
#include "tests/graph/sources.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace outcome_test {

bool bad(std::int64_t x) { return x % 10 == 3; }

// Throws for the bad samples, in the chosen branch or stage.
auto failing(std::int64_t count, int place) {
  return [count, place](Graph& g) {
    auto i = g.source(count, [place](const SampleInfo& info) {
      if (place == 0 && bad(info.index_in_epoch)) throw std::runtime_error("bad source");
      return info.index_in_epoch;
    });
    auto checked = g.map(
        "check",
        [place](std::int64_t x) {
          if (place == 1 && bad(x)) throw std::bad_alloc();
          return x;
        },
        i);
    auto odd = g.map(
        "odd", [](std::int64_t x) { return x % 2 == 1; }, checked);
    return g.if_else(
        odd,
        [&] {
          return g.map(
              "branch",
              [place](std::int64_t x) {
                if (place == 2 && bad(x)) throw 42;  // not a std::exception
                return x;
              },
              checked);
        },
        [&] { return checked; });
  };
}

TEST(OnErrorSkip, LongTextsAreCutInTheMiddle) {
  auto pipeline = make_pipeline({.batch_size = 2, .on_error = OnError::skip}, [](Graph& g) {
    return g.source(2, [](const SampleInfo& info) -> std::int64_t {
      std::string text = "begins ";
      for (int i = 0; i < 300'000 + info.index; ++i) text += "\u00e4";  // two bytes
      throw std::runtime_error(text + (info.index == 0 ? " ends" : " Ends"));
    });
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->errors().size(), 2u);
  for (const SampleError& error : batch->errors()) {
    EXPECT_LT(error.what.size(), 8500u);
    EXPECT_EQ(error.what.find("begins \u00e4"), 0u);
    EXPECT_EQ(error.what.substr(error.what.size() - 3), "nds");
    const std::size_t cut = error.what.find(" bytes were left out here) ... \u00e4");
    ASSERT_NE(cut, std::string::npos) << error.what;
    EXPECT_NE(error.what.find("\u00e4 ... ("), std::string::npos) << error.what;
  }
}

TEST(OnErrorSkip, CostsOnlyTheSampleThatFailed) {
  for (const int threads : {1, 2, 8}) {
    for (const int place : {0, 1, 2}) {
      auto pipeline = make_pipeline(
          {.batch_size = 16, .threads = threads, .on_error = OnError::skip}, failing(1000, place));
      std::int64_t expected = 0;
      std::int64_t missing = 0;
      for (const auto& batch : pipeline.epoch()) {
        for (const std::int64_t value : batch.get<0>()) {
          if (bad(expected)) ++expected;
          EXPECT_EQ(value, expected++);
        }
        missing += static_cast<std::int64_t>(batch.missing().size());
        for (std::size_t k = 0; k < batch.missing().size(); ++k) {
          EXPECT_TRUE(bad(batch.missing()[k]));
          EXPECT_EQ(batch.errors()[k].id, batch.missing()[k]);
          EXPECT_EQ(batch.errors()[k].step, place == 0   ? "source"
                                            : place == 1 ? "check"
                                                         : "branch");
          EXPECT_EQ(batch.errors()[k].path, place == 2 ? "if_else:then" : "");
        }
      }
      EXPECT_EQ(missing, 100);
      const Ledger ledger = pipeline.stats().epoch;
      EXPECT_TRUE(ledger.balanced());
      EXPECT_EQ(ledger.admitted, 1000);
      EXPECT_EQ(ledger.skipped, 100);
      EXPECT_EQ(ledger.delivered, 900);
    }
  }
}

// Failed samples and filtered samples are counted separately.
TEST(OnErrorSkip, DoesNotCountWhatAFilterDrops) {
  struct Case {
    OnError policy;
    std::int64_t skipped, failed;
  };
  for (const Case& c : {Case{OnError::skip, 20, 0}, Case{OnError::fail, 0, 20}}) {
    auto pipeline =
        make_pipeline({.batch_size = 10, .threads = 2, .on_error = c.policy}, [](Graph& g) {
          auto i = indices(g, 200);
          g.filter(g.map(
              "keep", [](std::int64_t x) { return x % 10 != 7; }, i));
          return g.map(
              "check",
              [](std::int64_t x) {
                if (bad(x)) throw std::runtime_error("bad");
                return x;
              },
              i);
        });
    auto run = pipeline.epoch();
    while (true) {
      try {
        if (!run.next()) break;
      } catch (const BatchError&) {  // the next call returns the batch
      }
    }
    const Ledger ledger = pipeline.stats().epoch;
    EXPECT_EQ(ledger.filtered, 20);
    EXPECT_EQ(ledger.skipped, c.skipped);
    EXPECT_EQ(ledger.failed, c.failed);
    EXPECT_EQ(ledger.delivered, 160);
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(to_string(ledger), "200 admitted, 160 delivered, 0 replaced, " +
                                     std::to_string(c.skipped) + " skipped, 20 filtered, " +
                                     std::to_string(c.failed) + " failed, 0 cancelled");
  }
}

TEST(OnErrorFail, ThrowsOnceForItsBatchAndThenGivesTheRest) {
  auto pipeline = make_pipeline({.batch_size = 10, .threads = 2}, failing(30, 1));
  for (int epoch = 0; epoch < 2; ++epoch) {
    auto run = pipeline.epoch();
    for (int b = 0; b < 3; ++b) {
      try {
        (void)run.next();
        FAIL() << "batch " << b << " did not throw";
      } catch (const BatchError& error) {
        EXPECT_EQ(error.batch(), b);
        ASSERT_EQ(error.errors().size(), 1u);
        EXPECT_EQ(error.errors()[0].id, 10 * b + 3);
        EXPECT_NE(std::string(error.what()).find("failed in step 'check'"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what())
                      .find("; on_error = OnError::skip or OnError::replace continues without it"),
                  std::string::npos)
            << error.what();
      }
      const auto batch = run.next();
      ASSERT_TRUE(batch.has_value());
      EXPECT_EQ(batch->size(), 9u);
    }
    EXPECT_FALSE(run.next().has_value());
    EXPECT_EQ(pipeline.stats().epoch.failed, 3);
    EXPECT_EQ(pipeline.stats().epoch.delivered, 27);
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
  }
}

TEST(OnErrorReplace, TheStandInIsTheSameOnEveryMachine) {
  std::vector<std::int64_t> first;
  for (const int threads : {1, 2, 8}) {
    for (const int place : {0, 1, 2}) {
      auto pipeline = make_pipeline(
          {.batch_size = 16, .seed = 5, .threads = threads, .on_error = OnError::replace},
          failing(500, place));
      std::vector<std::int64_t> all;
      for (const auto& batch : pipeline.epoch()) {
        for (const std::int64_t value : batch.get<0>()) all.push_back(value);
        EXPECT_EQ(batch.replaced().size(), batch.errors().size());
      }
      ASSERT_EQ(all.size(), 500u);
      for (std::int64_t x = 0; x < 500; ++x) {
        const std::int64_t value = all[static_cast<std::size_t>(x)];
        EXPECT_FALSE(bad(value));
        if (!bad(x)) {
          EXPECT_EQ(value, x);
        }
      }
      if (first.empty()) first = all;
      EXPECT_EQ(all, first);
      EXPECT_EQ(pipeline.stats().epoch.replaced, 50);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
    }
  }
}

TEST(OnErrorReplace, GivesUpWhenNothingWorks) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .on_error = OnError::replace}, [](Graph& g) {
        return g.source(
            8, [](const SampleInfo&) -> int { throw std::runtime_error("nothing works"); });
      });
  auto run = pipeline.epoch();
  EXPECT_THROW((void)run.next(), BatchError);
  const auto rest = run.next();
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(rest->size(), 0u);
}

TEST(Budget, EndsTheEpochAtTheSameBatchWhateverTheThreads) {
  struct Case {
    OnError policy;
    std::int64_t batches;
  };
  // One in ten fails: 21 failures are reached in batch 21 (from 0: 20), and the rate at the first
  // batch that is judged.
  const Case cases[] = {{OnError::skip.within(20), 20},
                        {OnError::skip.within(1000, 0.05), 9},
                        {OnError::skip.within(1000, 0.2), 50}};
  for (const Case& c : cases) {
    for (const int threads : {1, 8}) {
      auto pipeline = make_pipeline({.batch_size = 10, .threads = threads, .on_error = c.policy},
                                    failing(500, 1));
      auto run = pipeline.epoch();
      std::int64_t batches = 0;
      bool thrown = false;
      try {
        while (run.next()) ++batches;
      } catch (const BudgetError& error) {
        thrown = true;
        EXPECT_NE(std::string(error.what()).find("samples failed, more than"), std::string::npos);
      }
      EXPECT_EQ(thrown, c.batches < 50);
      EXPECT_EQ(batches, c.batches);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
      EXPECT_FALSE(run.next().has_value());
    }
  }
}

TEST(Cancel, EndsTheEpochAndLeavesThePipelineUsable) {
  for (const int threads : {1, 2, 8}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = threads}, failing(1000, -1));
    {
      auto run = pipeline.epoch();
      ASSERT_TRUE(run.next().has_value());
      std::thread([&] { pipeline.cancel(); }).join();
      while (run.next()) {
      }
    }
    pipeline.reset();
    EXPECT_TRUE(pipeline.stats().total.balanced());
    EXPECT_LT(pipeline.stats().total.delivered, 1000);
    std::int64_t expected = 0;
    for (const auto& [values] : pipeline.epoch()) {
      for (const std::int64_t value : values) EXPECT_EQ(value, expected++);
    }
    EXPECT_EQ(expected, 1000);
  }
}

TEST(Cancel, AnOldEpochDoesNotDisturbANewOne) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, failing(100, -1));
  auto old = std::make_unique<Epoch<std::int64_t>>(pipeline.epoch());
  ASSERT_TRUE(old->next().has_value());
  auto fresh = pipeline.epoch();
  EXPECT_THROW((void)old->next(), Error);
  old.reset();
  int batches = 0;
  while (fresh.next()) ++batches;
  EXPECT_EQ(batches, 25);
}

TEST(Cancel, BatchesAndEpochsOutliveThePipeline) {
  std::optional<Batch<std::int64_t>> kept;
  std::optional<Epoch<std::int64_t>> run;
  {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, failing(100, -1));
    run.emplace(pipeline.epoch());
    kept = run->next();
  }
  EXPECT_EQ(kept->get<0>()[3], 3);
  EXPECT_THROW((void)run->next(), Error);
}

// Start, cancel and destroy at arbitrary moments: no hang, no leak, the books balance.
TEST(Cancel, RandomCyclesOfStartCancelDestroy) {
  const int cycles = 10000 / testing::one_in(5, 20);
  std::atomic<int> alive{0};
  struct Counted {
    explicit Counted(std::atomic<int>* n = nullptr) : count(n) {
      if (count != nullptr) ++*count;
    }
    Counted(Counted&& other) noexcept : count(std::exchange(other.count, nullptr)) {}
    Counted& operator=(Counted&& other) noexcept {
      std::swap(count, other.count);
      return *this;
    }
    ~Counted() {
      if (count != nullptr) --*count;
    }
    std::atomic<int>* count;
  };
  for (int cycle = 0; cycle < cycles; ++cycle) {
    Random random({.seed = 1, .sample = static_cast<std::uint32_t>(cycle)});
    testing::tried("cancelled");
    const int threads = static_cast<int>(1 + random.below(4));
    auto pipeline = make_pipeline({.batch_size = static_cast<int>(1 + random.below(8)),
                                   .threads = threads,
                                   .on_error = OnError::skip},
                                  [&](Graph& g) {
                                    auto i = indices(g, 64);
                                    auto odd = g.map(
                                        "odd", [](std::int64_t x) { return x % 2 == 1; }, i);
                                    auto make = [&] {
                                      return g.map(
                                          "make",
                                          [&](std::int64_t x) {
                                            if (x % 7 == 0) throw std::runtime_error("seven");
                                            return Counted(&alive);
                                          },
                                          i);
                                    };
                                    return g.if_else(odd, make, make);
                                  });
    const std::uint32_t epochs = random.below(3);
    for (std::uint32_t e = 0; e < epochs; ++e) {
      auto run = pipeline.epoch();
      const std::uint32_t batches = random.below(6);
      for (std::uint32_t b = 0; b < batches; ++b) {
        if (!run.next()) break;
      }
      const std::uint32_t how = random.below(3);
      if (how == 0) pipeline.cancel();
      if (how == 1) {
        pipeline.reset();
        EXPECT_TRUE(pipeline.stats().total.balanced());
      }
    }
  }
  EXPECT_EQ(alive, 0);
}

TEST(Stall, NamesTheSampleAndTheStepThatHold) {
  std::mutex mutex;
  std::condition_variable cv;
  bool open = false;
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .stall_timeout = 0.1}, [&](Graph& g) {
        auto i = indices(g, 8);
        return g.map(
            "gate",
            [&](std::int64_t x) {
              if (x == 2) {
                std::unique_lock lock(mutex);
                cv.wait(lock, [&] { return open; });
              }
              return x;
            },
            i);
      });
  auto run = pipeline.epoch();
  try {
    (void)run.next();
    FAIL() << "no stall was seen";
  } catch (const StallError& error) {
    EXPECT_NE(std::string(error.what()).find("sample 2 is in step 'gate' since"), std::string::npos)
        << error.what();
  }
  {
    const std::lock_guard lock(mutex);
    open = true;
  }
  cv.notify_all();
  int batches = 0;
  while (run.next()) ++batches;
  EXPECT_EQ(batches, 2);
}

// Prefetching goes on while no caller waits, on one thread too.
TEST(Prefetch, FillsTheWindowWithoutBeingAsked) {
  for (const int threads : {1, 2}) {
    std::mutex mutex;
    std::condition_variable cv;
    int made = 0;
    auto pipeline =
        make_pipeline({.batch_size = 4, .threads = threads, .prefetch = 2}, [&](Graph& g) {
          return g.source(100, [&](const SampleInfo& info) {
            const std::lock_guard lock(mutex);
            ++made;
            cv.notify_all();
            return info.index_in_epoch;
          });
        });
    auto run = pipeline.epoch();
    std::unique_lock lock(mutex);
    const int window = 4 * (2 + 1) + (threads > 1 ? 8 * threads : 0);
    cv.wait(lock, [&] { return made == window; });
    EXPECT_EQ(made, window);
  }
}

}  // namespace outcome_test
}  // namespace sluice
