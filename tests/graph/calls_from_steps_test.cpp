// User code calls the pipeline that it is part of: stats() and cancel() work everywhere, and calls
// that would wait for themselves fail.
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace calls_from_steps_test {

using Numbers = Pipeline<std::int64_t>;

// The places from which user code is called: each of these calls it for sample 3.
struct Places {
  std::function<void()> in_source, in_name, in_step, in_constructor, in_destructor;
};

std::function<void()> when_made;
std::function<void()> when_gone;
// A value that reports its default construction, and the destruction of a 3.
struct Telling {
  std::int64_t value = -1;
  Telling() {
    if (when_made) when_made();
  }
  explicit Telling(std::int64_t v) : value(v) {}
  Telling(const Telling&) = default;
  Telling& operator=(const Telling&) = default;
  ~Telling() {
    if (value == 3 && when_gone) when_gone();
  }
};

struct Dataset {
  std::function<void()> in_name;
  std::int64_t size() const { return 8; }
  std::string name(std::int64_t) const {
    if (in_name) in_name();
    return "a file";
  }
  std::int64_t operator()(const SampleInfo& info) const {
    if (info.index_in_epoch == 3) throw std::runtime_error("three");
    return info.index_in_epoch;
  }
};

void call_all(Numbers& pipeline) {
  (void)pipeline.stats();
  pipeline.cancel();
}

TEST(CallsFromSteps, StatsAndCancelWorkInASourceAndInAStep) {
  for (const bool in_source : {false, true}) {
    std::optional<Numbers> pipeline;
    pipeline.emplace(make_pipeline({.batch_size = 2, .threads = 2}, [&](Graph& g) {
      auto i = g.source(8, [&, in_source](const SampleInfo& info) {
        if (in_source && info.index_in_epoch == 3) call_all(*pipeline);
        return info.index_in_epoch;
      });
      return g.map(
          "step",
          [&, in_source](std::int64_t x) {
            if (!in_source && x == 3) call_all(*pipeline);
            return x;
          },
          i);
    }));
    auto epoch = pipeline->epoch();
    while (epoch.next()) {
    }
    const Ledger ledger = pipeline->stats().epoch;
    EXPECT_TRUE(ledger.balanced()) << to_string(ledger);
    EXPECT_GT(ledger.cancelled, 0);
  }
}

TEST(CallsFromSteps, StatsAndCancelWorkWhereASampleIsNamed) {
  std::optional<Numbers> pipeline;
  std::atomic<int> named{0};
  pipeline.emplace(
      make_pipeline({.batch_size = 2, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
        return g.read(Dataset{[&] {
          ++named;
          call_all(*pipeline);
        }});
      }));
  auto epoch = pipeline->epoch();
  while (epoch.next()) {
  }
  EXPECT_GT(named, 0);
  EXPECT_TRUE(pipeline->stats().epoch.balanced());
}

TEST(CallsFromSteps, StatsAndCancelWorkWhereValuesAreMadeAndDestroyed) {
  std::optional<Pipeline<Telling>> pipeline;
  pipeline.emplace(make_pipeline({.batch_size = 2, .threads = 2}, [&](Graph& g) {
    auto i = g.source(8, [](const SampleInfo& info) { return info.index_in_epoch; });
    return g.map(
        "make", [](std::int64_t x) { return Telling(x); }, i);
  }));
  std::atomic<int> calls{0};
  for (const bool made : {true, false}) {
    calls = 0;
    (made ? when_made : when_gone) = [&] {
      ++calls;
      (void)pipeline->stats();
      pipeline->cancel();
    };
    {
      auto epoch = pipeline->epoch();
      while (epoch.next()) {
      }
    }
    when_made = when_gone = nullptr;
    EXPECT_GT(calls, 0);
    EXPECT_TRUE(pipeline->stats().epoch.balanced());
  }
}

TEST(CallsFromSteps, WhatWouldWaitForItselfIsThatSamplesError) {
  struct Case {
    const char* name;
    std::function<void(Numbers&, Epoch<std::int64_t>&)> call;
  };
  const std::vector<Case> cases = {
      {"next()", [](Numbers&, Epoch<std::int64_t>& epoch) { (void)epoch.next(); }},
      {"epoch()", [](Numbers& pipeline, Epoch<std::int64_t>&) { (void)pipeline.epoch(); }},
      {"reset()", [](Numbers& pipeline, Epoch<std::int64_t>&) { pipeline.reset(); }},
  };
  for (const Case& c : cases) {
    std::optional<Numbers> pipeline;
    std::optional<Epoch<std::int64_t>> epoch;
    std::atomic<bool> begun{false};
    pipeline.emplace(
        make_pipeline({.batch_size = 2, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
          return g.source(8, [&](const SampleInfo& info) {
            begun.wait(false);  // until `epoch` exists
            if (info.index_in_epoch == 3) c.call(*pipeline, *epoch);
            return info.index_in_epoch;
          });
        }));
    epoch.emplace(pipeline->epoch());
    begun = true;
    begun.notify_all();
    std::vector<SampleError> errors;
    while (auto batch = epoch->next())
      errors.insert(errors.end(), batch->errors().begin(), batch->errors().end());
    ASSERT_EQ(errors.size(), 1u) << c.name;
    EXPECT_EQ(errors[0].id, 3);
    EXPECT_EQ(errors[0].what,
              std::string(c.name) +
                  " was called inside a step of the same pipeline, which would wait for itself; "
                  "call it on the thread that takes batches");
  }
}

// inspect() runs the pipeline's steps on the calling thread, so their calls are refused as well.
TEST(CallsFromSteps, InspectIsRefusedInsideAStepAndRefusesTheSame) {
  const std::string waits =
      " was called inside a step of the same pipeline, which would wait for itself; call it on the "
      "thread that takes batches";
  const std::string again =
      " was called inside a step of the same pipeline, which would run itself again; call it on "
      "the thread that takes batches";
  const struct {
    std::string error;
    std::function<void(Numbers&)> call;
  } cases[] = {
      {"inspect()" + again, [](Numbers& pipeline) { (void)pipeline.inspect(3); }},
      {"inspect()" + again, [](Numbers& pipeline) { (void)pipeline.inspect(0); }},
      {"epoch()" + waits, [](Numbers& pipeline) { (void)pipeline.epoch(); }},
      {"reset()" + waits, [](Numbers& pipeline) { pipeline.reset(); }},
      {"", [](Numbers& pipeline) { call_all(pipeline); }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.error);
    std::optional<Numbers> pipeline;
    pipeline.emplace(
        make_pipeline({.batch_size = 2, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
          return g.source(8, [&](const SampleInfo& info) {
            if (info.index_in_epoch == 3) c.call(*pipeline);
            return info.index_in_epoch;
          });
        }));
    for (int times = 0; times < 2; ++times) {
      const Inspection sample = pipeline->inspect(3);
      EXPECT_EQ(sample.error() == nullptr ? "" : sample.error()->what, c.error);
      EXPECT_EQ(pipeline->inspect(1).error(), nullptr);
    }
    if (c.error.rfind("inspect()", 0) != 0) continue;
    std::vector<SampleError> errors;
    for (const auto& batch : pipeline->epoch())
      errors.insert(errors.end(), batch.errors().begin(), batch.errors().end());
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].what, c.error);
  }
}

TEST(CallsFromSteps, AnotherPipelineMayBeInspectedInsideAStep) {
  auto other = make_pipeline({.batch_size = 2, .threads = 1}, [](Graph& g) {
    return g.source(8, [](const SampleInfo& info) { return 2 * info.index_in_epoch; });
  });
  auto pipeline = make_pipeline({.batch_size = 2, .threads = 1}, [&](Graph& g) {
    return g.source(8, [&](const SampleInfo& info) {
      return other.inspect(info.index_in_epoch).get<std::int64_t>("source");
    });
  });
  EXPECT_EQ(pipeline.inspect(3).get<std::int64_t>("source"), 6);
  EXPECT_EQ(other.inspect(3).get<std::int64_t>("source"), 6);
}

TEST(CallsFromSteps, AnotherPipelineMayBeRunInsideAStep) {
  auto pipeline = make_pipeline({.batch_size = 2, .threads = 2}, [](Graph& g) {
    return g.source(6, [](const SampleInfo& info) {
      auto inner = make_pipeline({.batch_size = 3, .threads = 1}, [&](Graph& h) {
        return h.source(
            3, [n = info.index_in_epoch](const SampleInfo& i) { return n * i.index_in_epoch; });
      });
      std::int64_t sum = 0;
      for (const auto& batch : inner.epoch())
        for (const std::int64_t x : batch.get<0>()) sum += x;
      return sum;
    });
  });
  std::int64_t expected = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t sum : batch.get<0>()) {
      EXPECT_EQ(sum, expected);
      expected += 3;
    }
  }
  EXPECT_EQ(expected, 18);
}

TEST(CallsFromStepsDeathTest, DestructionInsideAStepSaysSoAndEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::optional<Numbers> pipeline;
        pipeline.emplace(make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
          return g.source(1, [&](const SampleInfo& info) {
            pipeline.reset();
            return info.index_in_epoch;
          });
        }));
        (void)pipeline->epoch().next();
      },
      "a pipeline is destroyed inside one of its own steps");
}

}  // namespace calls_from_steps_test
}  // namespace sluice
