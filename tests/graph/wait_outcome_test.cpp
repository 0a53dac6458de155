// Outcomes of samples that wait: errors of every kind, stalls, and ends while they wait.
#include "tests/graph/elsewhere.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace wait_outcome_test {

using testing::Elsewhere;
using testing::Shelf;
using Done = Completion<std::int64_t>;

// The action of a step's function with the handle of a bad sample, and the message of that sample's
// error; empty: it has none.
struct Case {
  const char* name;
  std::function<void(Elsewhere&, Done)> end;
  const char* what;
};
constexpr const char* kDropped =
    "its completion handle was destroyed before it was fired: call set() or fail() on it, from any "
    "thread";

const Case kCases[] = {
    {"a text", [](Elsewhere&, Done done) { EXPECT_TRUE(done.fail("no such thing")); },
     "no such thing"},
    {"a text, elsewhere",
     [](Elsewhere& e, Done done) {
       e.post(std::move(done), [](Done& d) { EXPECT_TRUE(d.fail("no such thing")); });
     },
     "no such thing"},
    {"an exception",
     [](Elsewhere& e, Done done) {
       e.post(std::move(done), [](Done& d) {
         EXPECT_TRUE(d.fail(std::make_exception_ptr(std::runtime_error("refused"))));
       });
     },
     "refused"},
    {"not a std::exception", [](Elsewhere&, Done done) { done.fail(std::make_exception_ptr(42)); },
     "threw something that is not a std::exception"},
    {"an empty exception", [](Elsewhere&, Done done) { done.fail(std::exception_ptr()); },
     "was told of an error by an empty std::exception_ptr"},
    {"dropped at once", [](Elsewhere&, const Done&) {}, kDropped},
    {"dropped elsewhere", [](Elsewhere& e, Done done) { e.post(std::move(done), [](Done&) {}); },
     kDropped},
    {"replaced by another handle",
     [](Elsewhere&, Done done) {
       done = Done();
       EXPECT_FALSE(done);
       EXPECT_FALSE(done.set(1));
     },
     kDropped},
    {"thrown at once", [](Elsewhere&, const Done&) { throw std::runtime_error("thrown"); },
     "thrown"},
    {"thrown when the handle was given away",
     [](Elsewhere& e, Done done) {
       e.post(std::move(done), [](Done& d) { d.set(1); });
       throw std::runtime_error("thrown");
     },
     "thrown"},
    {"thrown, and another error elsewhere",
     [](Elsewhere& e, Done done) {
       e.post(std::move(done), [](Done& d) { d.fail("elsewhere"); });
       throw std::runtime_error("thrown");
     },
     "thrown"},
    {"thrown when it was fired",
     [](Elsewhere&, Done done) {
       done.set(1);
       throw std::runtime_error("thrown");
     },
     "thrown"},
    {"fired twice",
     [](Elsewhere&, Done done) {
       EXPECT_TRUE(done);
       EXPECT_TRUE(done.set(-1));
       EXPECT_FALSE(done);
       EXPECT_FALSE(done.set(7));
       EXPECT_FALSE(done.fail("too late"));
     },
     ""},
    {"fired by two threads at once",
     [](Elsewhere& e, Done done) {
       auto shared = std::make_shared<Done>(std::move(done));
       auto first = std::make_shared<std::atomic<int>>(0);
       const auto fire = [=] {
         if (shared->set(-1)) {
           EXPECT_EQ(++*first, 1);
         }
       };
       e.post(fire);
       fire();
     },
     ""},
};

bool bad(std::int64_t x) { return x % 10 == 3; }
constexpr std::int64_t kSamples = 40;

auto pipeline_of(const Case& c, Elsewhere& elsewhere, int threads, OnError policy) {
  return make_pipeline({.batch_size = 8, .threads = threads, .on_error = policy}, [&](Graph& g) {
    auto i = indices(g, kSamples);
    const auto ask = [&](const Value<std::int64_t>& x) {
      return g.map_async<std::int64_t>(
          "ask",
          [&](Done done, std::int64_t y) {
            if (bad(y)) {
              c.end(elsewhere, std::move(done));
            } else {
              elsewhere.post(std::move(done), [y](Done& d) { d.set(y); });
            }
          },
          x);
    };
    return g.if_else(
        i % 2 == 1, [&] { return ask(i); }, [&] { return i; });
  });
}

TEST(WaitOutcome, AnErrorCostsItsSampleAlone) {
  Elsewhere elsewhere;
  for (const Case& c : kCases) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(c.name);
      const bool fails = *c.what != 0;
      auto pipeline = pipeline_of(c, elsewhere, threads, OnError::skip);
      std::int64_t next = 0, errors = 0;
      for (const auto& batch : pipeline.epoch()) {
        for (const std::int64_t value : batch.get<0>()) {
          if (bad(next) && fails) ++next;
          EXPECT_EQ(value, bad(next) ? -1 : next);
          ++next;
        }
        for (const SampleError& error : batch.errors()) {
          ++errors;
          EXPECT_TRUE(bad(error.id));
          EXPECT_EQ(error.step, "ask");
          EXPECT_EQ(error.path, "if_else:then");
          EXPECT_EQ(error.what, c.what);
        }
      }
      EXPECT_EQ(errors, fails ? kSamples / 10 : 0);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());

      const Inspection seen = pipeline.inspect(3);
      ASSERT_EQ(seen.error() != nullptr, fails);
      if (fails) {
        EXPECT_EQ(seen.error()->what, c.what);
      }
    }
  }
}

TEST(WaitOutcome, FailsTheBatchOrIsReplacedAsOtherErrorsAre) {
  Elsewhere elsewhere;
  for (const Case& c : kCases) {
    if (*c.what == 0) continue;
    SCOPED_TRACE(c.name);
    auto failing = pipeline_of(c, elsewhere, 2, OnError::fail);
    int thrown = 0;
    std::int64_t delivered = 0;
    auto epoch = failing.epoch();
    while (true) {
      try {
        const auto batch = epoch.next();
        if (!batch) break;
        delivered += static_cast<std::int64_t>(batch->size());
      } catch (const BatchError& error) {
        ++thrown;
        EXPECT_EQ(error.errors().at(0).what, c.what);
      }
    }
    EXPECT_EQ(thrown, 4);
    EXPECT_EQ(delivered, kSamples - kSamples / 10);

    auto replacing = pipeline_of(c, elsewhere, 2, OnError::replace);
    std::int64_t replaced = 0, all = 0;
    for (const auto& batch : replacing.epoch()) {
      all += static_cast<std::int64_t>(batch.size());
      replaced += static_cast<std::int64_t>(batch.replaced().size());
    }
    EXPECT_EQ(all, kSamples);
    EXPECT_EQ(replaced, kSamples / 10);
  }
}

// A pipeline all of whose samples wait.
class AllWait {
 public:
  static constexpr std::int64_t kWindow = 24;

  explicit AllWait(double stall_timeout = 0) {
    pipeline.emplace(make_pipeline(
        {.batch_size = 4,
         .threads = 2,
         .window = static_cast<int>(kWindow),
         .stall_timeout = stall_timeout},
        [&](Graph& g) {
          auto i = indices(g, 10 * kWindow);
          auto got = g.map_async<std::int64_t>(
              "fetch", [&](Done done, std::int64_t x) { shelf.put(std::move(done), x); }, i);
          return g.map(
              "after",
              [&](std::int64_t x) {
                ++went_on;
                return x;
              },
              got);
        }));
  }

  ~AllWait() {
    until([&] { pipeline.reset(); }, [](Done&) {});
  }

  // Calls `work`, and `fire` meanwhile with all handles that come; they are destroyed then.
  template <class Work, class Fire>
  void until(const Work& work, const Fire& fire) {
    std::atomic<bool> over{false};
    std::thread worker([&] {
      work();
      over = true;
    });
    while (!over) {
      for (auto& held : shelf.take(0)) fire(held.done);
      std::this_thread::yield();
    }
    worker.join();
  }

  Shelf<std::int64_t> shelf;
  std::atomic<int> went_on{0};
  std::optional<Pipeline<std::int64_t>> pipeline;
};

// Ways to end a run. The test uses the handles meanwhile.
struct End {
  const char* name;
  std::function<void(AllWait&)> end;
};
const End kEnds[] = {
    {"destroyed", [](AllWait& all) { all.pipeline.reset(); }},
    {"cancelled",
     [](AllWait& all) {
       all.pipeline->cancel();
       all.pipeline->reset();
     }},
    {"reset", [](AllWait& all) { all.pipeline->reset(); }},
    {"begun again", [](AllWait& all) { (void)all.pipeline->epoch(); }},
};
struct Late {
  const char* name;
  std::function<void(Done&)> fire;
};
const Late kLate[] = {
    {"set", [](Done& done) { EXPECT_TRUE(done.set(1)); }},
    {"failed", [](Done& done) { EXPECT_TRUE(done.fail("late")); }},
    {"dropped", [](Done& done) { done = Done(); }},
};

TEST(WaitOutcome, AnEndWaitsForAllHandlesAndNoLonger) {
  for (const End& end : kEnds) {
    for (const Late& late : kLate) {
      SCOPED_TRACE(std::string(end.name) + ", " + late.name);
      AllWait all;
      const auto epoch = all.pipeline->epoch();
      auto held = all.shelf.take(AllWait::kWindow);
      std::atomic<bool> ended{false};
      std::thread others([&] {
        // If a handle is fired before the end begins, new samples start: fire their handles, too.
        all.until(
            [&] {
              end.end(all);
              ended = true;
            },
            late.fire);
      });
      for (auto& [done, number] : held) {
        EXPECT_FALSE(ended);
        late.fire(done);
      }
      others.join();
    }
  }
}

// Steps after the wait do not run for a sample that was cancelled meanwhile.
TEST(WaitOutcome, ACancelledSampleGoesNoFurther) {
  AllWait all;
  auto epoch = all.pipeline->epoch();
  auto held = all.shelf.take(AllWait::kWindow);
  all.pipeline->cancel();
  std::thread elsewhere([&] {
    for (auto& [done, number] : held) done.set(number);
  });
  EXPECT_FALSE(epoch.next().has_value());
  elsewhere.join();
  EXPECT_EQ(all.went_on, 0);
  const Ledger ledger = all.pipeline->stats().epoch;
  EXPECT_TRUE(ledger.balanced());
  EXPECT_EQ(ledger.cancelled, AllWait::kWindow);
}

TEST(WaitOutcome, AStallNamesSamplesAndTheStepInWhichTheyWait) {
  AllWait all(0.05);
  auto epoch = all.pipeline->epoch();
  auto held = all.shelf.take(AllWait::kWindow);
  std::string text = "no stall was seen";
  try {
    (void)epoch.next();
  } catch (const StallError& error) {
    text = error.what();
  }
  EXPECT_NE(text.find(" sample 0 is in step 'fetch', where it waits since "), std::string::npos)
      << text;
  EXPECT_NE(text.find(" sample 15 is in "), std::string::npos) << text;
  EXPECT_NE(text.find("; and 8 others are in steps as well; the pipeline goes on waiting"),
            std::string::npos)
      << text;
  for (auto& [done, number] : held) done.set(number);
  const auto batch = epoch.next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->get<0>()[3], 3);
  all.pipeline->cancel();
  all.until([&] { EXPECT_FALSE(epoch.next().has_value()); }, [](Done&) {});
}

}  // namespace wait_outcome_test
}  // namespace sluice
