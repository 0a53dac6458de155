// Datasets are told when epochs begin, and that they end, in whatever way.
#include "tests/graph/elsewhere.h"
#include "tests/graph/later.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace later_epochs_test {

using testing::Calls;
using testing::Handle;
using testing::Later;
using testing::Shelf;

TEST(Later, IsToldOfEpochsInOrder) {
  Calls calls;
  const auto told = [&](const char* who) {
    return Later{.count = 6,
                 .answer = [](Handle done, const SampleInfo& info) { (void)done.set(info.index); },
                 .begin =
                     [&calls, who](const EpochInfo& info) {
                       calls.add(std::string(who) + " begins " + std::to_string(info.epoch) +
                                 " at " + std::to_string(info.first) + " of " +
                                 std::to_string(info.samples) + " window " +
                                 std::to_string(info.window) + " last " +
                                 std::to_string(info.key(info.samples - 1).index));
                     },
                 .end = [&calls, who] { calls.add(std::string(who) + " ends"); }};
  };
  {
    auto pipeline = make_pipeline(
        {.batch_size = 2, .threads = 2, .window = 4, .last_batch = LastBatch::drop}, [&](Graph& g) {
          const Sampler order{.subset = {5, 4, 3, 2, 1}};
          auto a = g.read(told("a"), order);
          return a + g.read(told("b"));
        });
    EXPECT_TRUE(calls.take().empty());
    for (const auto& batch : pipeline.epoch()) (void)batch;
    const std::vector<std::string> all = {"a begins 0 at 0 of 4 window 4 last 2",
                                          "b begins 0 at 0 of 4 window 4 last 2", "b ends",
                                          "a ends"};
    EXPECT_EQ(calls.take(), all);
    (void)pipeline.inspect(3);
    EXPECT_TRUE(calls.take().empty());
    (void)pipeline.epoch().next();  // left early
    EXPECT_EQ(calls.take().size(), 2u);
    (void)pipeline.epoch();
    EXPECT_EQ(calls.take().size(), 4u);
    pipeline.reset();
    EXPECT_EQ(calls.take(), (std::vector<std::string>{"b ends", "a ends"}));
    auto run = pipeline.epoch();
    EXPECT_EQ(calls.take().size(), 2u);
    pipeline.cancel();
    EXPECT_FALSE(run.next().has_value());
    EXPECT_EQ(calls.take(), (std::vector<std::string>{"b ends", "a ends"}));
    EXPECT_FALSE(run.next().has_value());
    (void)pipeline.epoch();
    EXPECT_EQ(calls.take().size(), 2u);
  }
  EXPECT_EQ(calls.take(), (std::vector<std::string>{"b ends", "a ends"}));
}

// A plain dataset may observe epochs, too; one that no output needs receives no calls.
struct Counting {
  std::shared_ptr<std::atomic<int>> begun = std::make_shared<std::atomic<int>>(0);
  std::int64_t size() const { return 4; }
  std::string name(std::int64_t) const { return {}; }
  std::int64_t operator()(const SampleInfo& info) const { return info.index + 100 * *begun; }
  void begin_epoch(const EpochInfo&) const { ++*begun; }
};
TEST(Later, EpochsAreToldToPlainDatasetsThatAreUsed) {
  const Counting used, unused;
  auto pipeline = make_pipeline({.batch_size = 4}, [&](Graph& g) {
    (void)g.read(unused);
    return g.read(used);
  });
  EXPECT_EQ(pipeline.epoch().next()->get<0>()[3], 103);
  EXPECT_EQ(pipeline.epoch().next()->get<0>()[0], 200);
  EXPECT_EQ(*unused.begun, 0);
}

TEST(Later, OneThatCannotBeginThrowsAndMayTryAgain) {
  Calls calls;
  bool refuses = false;
  const auto told = [&](const char* who, bool may_refuse) {
    return Later{
        .count = 4,
        .answer = [](Handle done,
                     const SampleInfo& info) { (void)done.set(info.index + 10 * info.epoch); },
        .begin =
            [&calls, &refuses, who, may_refuse](const EpochInfo&) {
              if (may_refuse && refuses) throw std::runtime_error("no connection");
              calls.add(std::string(who) + " begins");
            },
        .end = [&calls, who] { calls.add(std::string(who) + " ends"); }};
  };
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
    auto a = g.read(told("a", false));
    auto b = g.read(told("b", true));
    return a + b + g.read(told("c", false));
  });
  auto before = pipeline.epoch();
  (void)calls.take();
  refuses = true;
  try {
    (void)pipeline.epoch();
    ADD_FAILURE() << "it has begun";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no connection");
  }
  EXPECT_EQ(calls.take(),
            (std::vector<std::string>{"c ends", "b ends", "a ends", "a begins", "a ends"}));
  EXPECT_THROW((void)before.next(), Error);
  EXPECT_EQ(pipeline.inspect(2).get<std::int64_t>("read#3"), 2);
  refuses = false;
  EXPECT_EQ(pipeline.epoch().next()->get<0>()[1], 33);  // epoch 1, which failed before
}

TEST(Later, MayNotAskItsPipelineToWaitForIt) {
  std::optional<Pipeline<std::int64_t>> pipeline;
  Calls calls;
  const auto ask = [&](const char* when) {
    try {
      pipeline->reset();
    } catch (const Error& error) {
      calls.add(when + std::string(error.what()).substr(0, 27));
    }
  };
  pipeline.emplace(make_pipeline({.threads = 1}, [&](Graph& g) {
    return g.read(Later{.count = 1,
                        .answer =
                            [&](Handle done, const SampleInfo&) {
                              ask("here: ");
                              std::thread([&] {
                                const detail::StepScope scope(done);
                                ask("elsewhere: ");
                              }).join();
                              (void)done.set(0);
                            },
                        .begin = [&](const EpochInfo&) { ask("begin: "); },
                        .end = [&] { ask("end: "); }});
  }));
  for (const auto& batch : pipeline->epoch()) (void)batch;
  const std::string words = "reset() was called inside a";
  EXPECT_EQ(calls.take(), (std::vector<std::string>{"begin: " + words, "here: " + words,
                                                    "elsewhere: " + words, "end: " + words}));
}

// Handles are held until the dataset learns that they are not needed, however the epoch ends.
TEST(Later, EndsWaitForNoHandleThatIsHeld) {
  enum class By { cancel, leaving, next_epoch, reset, destruction, error };
  for (const By by :
       {By::cancel, By::leaving, By::next_epoch, By::reset, By::destruction, By::error}) {
    Shelf<std::int64_t> shelf;
    std::atomic<int> ends{0};
    std::atomic<bool> over{false};  // one may be requested a moment later
    const Later holding{.count = 64,
                        .answer =
                            [&](Handle done, const SampleInfo& info) {
                              if (by == By::error && info.index < 2) {
                                EXPECT_TRUE(done.fail("broken"));
                              } else {
                                shelf.put(std::move(done), info.index);
                                if (over) (void)shelf.take(0);
                              }
                            },
                        .begin = [&](const EpochInfo&) { over = false; },
                        .end =
                            [&] {
                              ++ends;
                              over = true;
                              (void)shelf.take(0);
                            }};
    PipelineOptions options{.batch_size = 2, .threads = 2, .window = 8};
    if (by == By::error) options.on_error = OnError::skip.within(0);
    std::optional pipeline(
        make_pipeline(options, [&](Graph& g) { return g.read(holding) + indices(g, 64); }));
    {
      auto run = pipeline->epoch();
      switch (by) {
        case By::cancel:
          pipeline->cancel();
          EXPECT_FALSE(run.next().has_value());
          break;
        case By::error:
          EXPECT_THROW((void)run.next(), BudgetError);
          break;
        case By::next_epoch:
          (void)pipeline->epoch();
          break;
        case By::reset:
          pipeline->reset();
          break;
        default:
          break;
      }
      if (by != By::leaving && by != By::destruction) {
        EXPECT_EQ(ends, 1) << static_cast<int>(by);
        EXPECT_TRUE(pipeline->stats().total.balanced());
      }
      if (by == By::destruction) pipeline.reset();
    }
    pipeline.reset();
    EXPECT_EQ(ends, by == By::next_epoch ? 2 : 1) << static_cast<int>(by);
  }
}

// The end is reported while samples behind it are held: those of later batches are not waited for.

}  // namespace later_epochs_test
}  // namespace sluice
