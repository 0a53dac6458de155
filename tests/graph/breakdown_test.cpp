// Datasets that break down: Completion::fail_as_last().
#include "tests/graph/elsewhere.h"
#include "tests/graph/later.h"
#include "tests/one_in.h"
#include <sluice/graph/pipeline.h>
#include <sluice/graph/sources/batches.h>
#include <sluice/graph/sources/values.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace breakdown_test {

using testing::Handle;
using testing::Later;
using testing::Shelf;

// Returns the results of an epoch as text: values, "!3" for the error of sample 3, "thrown" for a
// BatchError, and a stroke after each batch.
std::string told(const PipelineOptions& options, const Later& data) {
  auto pipeline = make_pipeline(options, [&](Graph& g) { return g.read(data); });
  auto run = pipeline.epoch();
  std::string text;
  while (true) {
    try {
      const auto batch = run.next();
      if (!batch) break;
      for (const std::int64_t value : batch->get<0>()) text += std::to_string(value) + " ";
      for (const SampleError& error : batch->errors()) text += "!" + std::to_string(error.id) + " ";
      text += "| ";
    } catch (const BatchError&) {
      text += "thrown ";
    }
  }
  EXPECT_EQ(pipeline.stats().epoch.failed + pipeline.stats().epoch.skipped, 1) << text;
  return text;
}

// The batch with the error comes, whatever happens to short batches.
TEST(Breakdown, ItsErrorIsHeardOf) {
  const Later data{.count = kUntilEnd, .answer = [](Handle done, const SampleInfo& info) {
                     (void)(info.index < 5 ? done.set(info.index) : done.fail_as_last("broken"));
                   }};
  const struct {
    LastBatch last;
    bool compact;
    const char* rest;  // of the second batch
  } cases[] = {
      {LastBatch::partial, false, "4 !5 | "},  {LastBatch::drop, false, "4 !5 | "},
      {LastBatch::fill, false, "4 4 4 !5 | "}, {LastBatch::partial, true, "4 !5 | "},
      {LastBatch::drop, true, "4 !5 | "},      {LastBatch::fill, true, "4 4 4 4 !5 | "},
  };
  for (const auto& c : cases) {
    PipelineOptions options{.batch_size = 4, .threads = 2, .last_batch = c.last};
    options.compact = c.compact;
    options.on_error = OnError::skip;
    EXPECT_EQ(told(options, data), "0 1 2 3 | " + std::string(c.rest));
    // To fill its batches, a compact pipeline looks ahead.
    options.on_error = OnError::fail;
    EXPECT_EQ(told(options, data),
              (c.compact ? "thrown 0 1 2 3 | " : "0 1 2 3 | thrown ") + std::string(c.rest));
  }
}

// If the end lies before the error, it is the end, as if nothing had broken down.
TEST(Breakdown, AfterTheEndNobodyHearsOfIt) {
  Shelf<std::int64_t> shelf;
  const Later data{.count = kUntilEnd, .answer = [&](Handle done, const SampleInfo& info) {
                     shelf.put(std::move(done), info.index);
                   }};
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .window = 8, .last_batch = LastBatch::drop},
                    [&](Graph& g) { return g.read(data); });
  auto run = pipeline.epoch();
  auto held = shelf.take(8);
  std::sort(held.begin(), held.end(),
            [](const auto& a, const auto& b) { return a.number > b.number; });
  for (auto& one : held) {
    if (one.number == 7) {
      EXPECT_TRUE(one.done.fail_as_last("broken"));
    } else if (one.number == 6) {
      EXPECT_TRUE(one.done.fail(std::make_exception_ptr(EndOfEpoch())));
    } else {
      EXPECT_TRUE(one.done.set(one.number));
    }
  }
  EXPECT_TRUE(run.next().has_value());
  EXPECT_FALSE(run.next().has_value());
  EXPECT_EQ(pipeline.stats().epoch.failed, 0);
}

// An exception that is thrown after the handle was fired replaces the handle's result.
TEST(Breakdown, ThrowingTheEndAfterwardsIsTheEnd) {
  const Later data{.count = kUntilEnd, .answer = [](Handle done, const SampleInfo& info) {
                     if (info.index < 2) return (void)done.set(info.index);
                     (void)done.fail_as_last("broken");
                     throw EndOfEpoch();
                   }};
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) { return g.read(data); });
  std::size_t all = 0;
  for (const auto& batch : pipeline.epoch()) {
    all += batch.size();
    EXPECT_TRUE(batch.errors().empty());
  }
  EXPECT_EQ(all, 2u);
  EXPECT_EQ(pipeline.stats().epoch.failed, 0);
}

// Whichever of its samples fails first, the first of them by position is the last sample.
TEST(Breakdown, EndsTheEpochAtTheFirstSampleThatHasIt) {
  struct Case {
    std::int64_t count;
    bool backwards;
    std::vector<std::int64_t> errors;
  };
  for (const Case& c : {Case{kUntilEnd, false, {3}}, Case{kUntilEnd, true, {3}},
                        Case{10, true, {3, 4, 5, 6, 7, 8, 9}}}) {
    Shelf<std::int64_t> shelf;
    std::atomic<bool> broken{false};
    const Later data{.count = c.count, .answer = [&](Handle done, const SampleInfo& info) {
                       if (broken) return (void)done.fail_as_last("late");
                       shelf.put(std::move(done), info.index);
                     }};
    auto pipeline =
        make_pipeline({.batch_size = 4, .threads = 2, .window = 8, .on_error = OnError::skip},
                      [&](Graph& g) { return g.read(data); });
    auto run = pipeline.epoch();
    auto held = shelf.take(8);
    broken = true;
    std::sort(held.begin(), held.end(), [&](const auto& a, const auto& b) {
      return c.backwards ? a.number > b.number : a.number < b.number;
    });
    for (auto& one : held) {
      EXPECT_TRUE(one.number < 3 ? one.done.set(one.number) : one.done.fail_as_last("broken"));
      EXPECT_FALSE(one.done.fail_as_last("again"));
    }
    std::vector<std::int64_t> all, errors;
    for (const auto& batch : run) {
      for (const std::int64_t value : batch.get<0>()) all.push_back(value);
      for (const SampleError& error : batch.errors()) errors.push_back(error.id);
    }
    EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(errors, c.errors);
  }
}

// A source of at most 12 samples. The one at `bad` fails.
using Describe = std::function<Value<std::int64_t>(Graph&)>;
struct Kind {
  const char* name;
  bool replaces;  // OnError::replace is taken
  std::int64_t length;
  Describe describe;
};

std::vector<Kind> kinds_with_error_at(std::int64_t bad) {
  const auto give = [bad](std::int64_t i, std::int64_t length) {
    if (i == bad) throw std::runtime_error("broken");
    if (i >= length) throw EndOfEpoch();
    return i;
  };
  const auto rows = [bad]() -> generator<std::int64_t> {
    for (std::int64_t i = 0; i < 12; ++i) {
      if (i == bad) throw std::runtime_error("broken");
      co_yield i;
    }
  };
  std::vector<Kind> kinds = {
      {"a range that throws", false, bad + 1, [=](Graph& g) { return g.read(values_of(rows)); }},
      {"one that says that it is the last", true, bad + 1,
       [=](Graph& g) {
         return g.read(
             Later{.count = kUntilEnd, .answer = [=](Handle done, const SampleInfo& info) {
                     if (info.index < bad) return (void)done.set(info.index);
                     (void)done.fail_as_last("broken");
                   }});
       }},
  };
  for (const std::int64_t length : {bad + 1, bad + 2, std::int64_t{12}}) {
    kinds.push_back({"a function", true, length, [=](Graph& g) {
                       return g.source(kUntilEnd, [=](const SampleInfo& info) {
                         return give(info.index, length);
                       });
                     }});
    kinds.push_back({"groups", true, length, [=](Graph& g) {
                       return g.read(batches_of(kUntilEnd, 1, [=](const BatchInfo& info) {
                         return std::vector<std::int64_t>{give(info.keys.front().index, length)};
                       }));
                     }});
  }
  return kinds;
}

// Counts the reports of the error, and other effects of an epoch.
struct Heard {
  int thrown = 0, told = 0, over_budget = 0;
};
Heard heard_in(const PipelineOptions& options, const Describe& describe, std::int64_t bad) {
  auto pipeline = make_pipeline(options, describe);
  auto run = pipeline.epoch();
  Heard heard;
  const auto count = [bad](const std::vector<SampleError>& errors) {
    return static_cast<int>(std::count_if(errors.begin(), errors.end(), [bad](const auto& error) {
      return error.id == bad && error.what == "broken";
    }));
  };
  for (bool over = false; !over;) {
    try {
      const auto batch = run.next();
      over = !batch;
      if (batch) heard.told += count(batch->errors());
    } catch (const BatchError& error) {
      heard.thrown += count(error.errors());
    } catch (const BudgetError&) {
      ++heard.over_budget;
    }
  }
  EXPECT_TRUE(pipeline.stats().epoch.balanced()) << to_string(pipeline.stats().epoch);
  return heard;
}

// For each place where a source of unknown length fails, and each option for short batches.
TEST(Breakdown, AnErrorOfASourceIsHeardOfOnce) {
  int combination = 0;
  const int some = testing::one_in(5, 25);
  for (const std::int64_t bad : {0, 1, 2, 3, 5, 7, 8, 10}) {
    for (const Kind& kind : kinds_with_error_at(bad)) {
      for (const int batch_size : {1, 3, 4, 7}) {
        for (const LastBatch last : {LastBatch::partial, LastBatch::drop, LastBatch::fill}) {
          for (const bool compact : {false, true}) {
            if (combination++ % some != 0) continue;
            SCOPED_TRACE(std::string(kind.name) + " of " + std::to_string(kind.length) +
                         ", error at " + std::to_string(bad) + ", batches of " +
                         std::to_string(batch_size) + ", last_batch " +
                         std::to_string(static_cast<int>(last)) + (compact ? ", compact" : ""));
            PipelineOptions options{.batch_size = batch_size,
                                    .threads = 1 + combination % 3,
                                    .last_batch = last,
                                    .compact = compact};
            Heard heard = heard_in(options, kind.describe, bad);
            EXPECT_EQ(heard.thrown, 1);
            EXPECT_EQ(heard.told, 1);
            options.on_error = OnError::skip;
            heard = heard_in(options, kind.describe, bad);
            EXPECT_EQ(heard.thrown, 0);
            EXPECT_EQ(heard.told, 1);
            for (const OnError& within : {OnError::skip.within(0), OnError::skip.within(9, 0.01)}) {
              options.on_error = within;
              EXPECT_EQ(heard_in(options, kind.describe, bad).over_budget, 1);
            }
            if (!kind.replaces) continue;
            options.on_error = OnError::replace;
            heard = heard_in(options, kind.describe, bad);
            EXPECT_LE(heard.thrown, 1);
            EXPECT_EQ(heard.told, 1);
          }
        }
      }
    }
  }
}

// Other steps behave as with a known length: only the budget counts their errors in a batch that is
// not made.
TEST(Breakdown, TheBudgetCountsWhatIsDropped) {
  for (const std::int64_t bad : {3, 4, 5}) {
    const Describe describe = [bad](Graph& g) {
      auto i = g.source(kUntilEnd, [](const SampleInfo& info) {
        if (info.index == 6) throw EndOfEpoch();
        return info.index;
      });
      return g.map(
          "check",
          [bad](std::int64_t x) {
            if (x == bad) throw std::runtime_error("broken");
            return x;
          },
          i);
    };
    PipelineOptions options{.batch_size = 4, .threads = 2, .last_batch = LastBatch::drop};
    options.on_error = OnError::skip.within(1);
    EXPECT_EQ(heard_in(options, describe, bad).over_budget, 0);
    options.on_error = OnError::skip.within(0);
    EXPECT_EQ(heard_in(options, describe, bad).over_budget, 1);
    options.on_error = OnError::skip.within(9, 0.1);  // 1 of 6
    EXPECT_EQ(heard_in(options, describe, bad).over_budget, 1);
    options.on_error = OnError::skip.within(9, 0.2);
    EXPECT_EQ(heard_in(options, describe, bad).over_budget, 0);
  }
}

}  // namespace breakdown_test
}  // namespace sluice
