// Datasets that break down: Completion::fail_as_last().
#include "tests/graph/elsewhere.h"
#include "tests/graph/later.h"
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace breakdown_test {

using testing::Handle;
using testing::Later;
using testing::Shelf;

// What an epoch gives: values, "!3" for the error of sample 3, "thrown" for a BatchError, and a
// stroke after each batch.
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

// The batch with the error comes, whatever becomes of short ones.
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
    // What is made of full batches looks ahead.
    options.on_error = OnError::fail;
    EXPECT_EQ(told(options, data),
              (c.compact ? "thrown 0 1 2 3 | " : "0 1 2 3 | thrown ") + std::string(c.rest));
  }
}

// An end that lies before it is the end, as if nothing had broken down.
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

// What is thrown after the handle was fired takes the place of what was said by it.
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

// Whichever of its samples hears of it first, the first of them by position is the last one.
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

}  // namespace breakdown_test
}  // namespace sluice
