// The meaning of a described program: the same program run for one sample at a time.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace control_flow_test {

constexpr std::int64_t kSamples = 300;

template <class T>
std::vector<T> run(Pipeline<T>& pipeline) {
  std::vector<T> all;
  for (auto& batch : pipeline.epoch()) {
    for (const T& value : batch.template get<0>()) all.push_back(value);
  }
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
  return all;
}

TEST(IfElse, OnlyTheBranchThatIsTakenRuns) {
  for (const int threads : {1, 2, 8}) {
    std::atomic<int> thens{0}, elses{0};
    auto pipeline = make_pipeline({.batch_size = 8, .threads = threads}, [&](Graph& g) {
      auto i = indices(g, kSamples);
      auto odd = g.map(
          "odd", [](std::int64_t x) { return x % 2 == 1; }, i);
      return g.if_else(
          odd,
          [&] {
            return g.map(
                "triple",
                [&](std::int64_t x) {
                  ++thens;
                  return 3 * x;
                },
                i);
          },
          [&] {
            return g.map(
                "negate",
                [&](std::int64_t x) {
                  ++elses;
                  return -x;
                },
                i);
          });
    });
    const auto all = run(pipeline);
    ASSERT_EQ(all.size(), 300u);
    for (std::int64_t x = 0; x < kSamples; ++x) {
      EXPECT_EQ(all[static_cast<std::size_t>(x)], x % 2 == 1 ? 3 * x : -x);
    }
    EXPECT_EQ(thens, 150);
    EXPECT_EQ(elses, 150);
  }
}

TEST(IfElse, ABranchMayGiveAnOuterValueOrAConstant) {
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2}, [&](Graph& g) {
    auto i = indices(g, kSamples);
    auto third = g.map(
        "third", [](std::int64_t x) { return x % 3 == 0; }, i);
    auto kept = g.if_else(
        third, [&] { return std::int64_t{-7}; }, [&] { return i; });
    return std::tuple{kept, i};
  });
  std::int64_t x = 0;
  for (const auto& [kept, same] : pipeline.epoch()) {
    for (std::size_t k = 0; k < kept.size(); ++k, ++x) {
      EXPECT_EQ(kept[k], x % 3 == 0 ? -7 : x);
      EXPECT_EQ(same[k], x);
    }
  }
  EXPECT_EQ(x, kSamples);
}

TEST(IfElse, TuplesAndNesting) {
  auto program = [](std::int64_t x) {
    if (x % 2 == 0) {
      if (x % 4 == 0) return std::pair<std::int64_t, std::string>{x + 1, "four"};
      return std::pair<std::int64_t, std::string>{x + 2, "two"};
    }
    return std::pair<std::int64_t, std::string>{x, "odd"};
  };
  for (const int threads : {1, 8}) {
    auto pipeline = make_pipeline({.batch_size = 5, .threads = threads}, [&](Graph& g) {
      auto i = indices(g, kSamples);
      auto even = g.map(
          "even", [](std::int64_t x) { return x % 2 == 0; }, i);
      auto four = g.map(
          "four", [](std::int64_t x) { return x % 4 == 0; }, i);
      auto add = [&](std::int64_t n) {
        return g.map(
            "add", [](std::int64_t x, std::int64_t m) { return x + m; }, i, n);
      };
      auto [number, text] = g.if_else(
          even,
          [&] {
            return g.if_else(
                four,
                [&] {
                  return std::tuple{add(1), std::string("four")};
                },
                [&] {
                  return std::tuple{add(2), std::string("two")};
                });
          },
          [&] {
            return std::tuple{i, std::string("odd")};
          });
      return std::tuple{number, text};
    });
    std::int64_t x = 0;
    for (const auto& [numbers, texts] : pipeline.epoch()) {
      for (std::size_t k = 0; k < numbers.size(); ++k, ++x) {
        const auto expected = program(x);
        EXPECT_EQ(numbers[k], expected.first);
        EXPECT_EQ(texts[k], expected.second);
      }
    }
    EXPECT_EQ(x, kSamples);
  }
}

TEST(Select, ChoosesOneOfManyAndReportsAnIndexOutside) {
  auto pipeline =
      make_pipeline({.batch_size = 10, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
        auto i = indices(g, 100);
        auto index = g.map(
            "index", [](std::int64_t x) { return x % 10 - 1; }, i);  // -1 .. 8
        std::vector<std::function<Value<std::int64_t>()>> branches;
        for (std::int64_t a = 0; a < 8; ++a) {
          branches.push_back([&g, i, a] {
            return g.map(
                "branch", [](std::int64_t x, std::int64_t n) { return 1000 * n + x; }, i, a);
          });
        }
        return g.select(index, branches);
      });
  std::int64_t batches = 0;
  for (const auto& batch : pipeline.epoch()) {
    const auto& values = batch.get<0>();
    ASSERT_EQ(values.size(), 8u);
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(values[k], 1000 * static_cast<std::int64_t>(k) + 10 * batches +
                               static_cast<std::int64_t>(k) + 1);
    }
    EXPECT_EQ(batch.missing(), (std::vector<std::int64_t>{10 * batches, 10 * batches + 9}));
    ASSERT_EQ(batch.errors().size(), 2u);
    EXPECT_EQ(batch.errors()[0].what, "the index is -1, but the branches are numbered 0 to 7");
    EXPECT_EQ(batch.errors()[1].what, "the index is 8, but the branches are numbered 0 to 7");
    EXPECT_EQ(batch.errors()[0].step, "select");
    ++batches;
  }
  EXPECT_EQ(batches, 10);
  EXPECT_EQ(pipeline.stats().epoch.skipped, 20);
}

// A step outside the branches that only one branch uses runs only there, with all steps that only
// it needs.
TEST(Sink, RunsAStepOnlyWhereItIsUsed) {
  std::atomic<int> costly{0}, chained{0}, shared{0};
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2}, [&](Graph& g) {
    auto i = indices(g, kSamples);
    auto a = g.map(
        "costly",
        [&](std::int64_t x) {
          ++costly;
          return x * 10;
        },
        i);
    auto b = g.map(
        "chained",
        [&](std::int64_t x) {
          ++chained;
          return x + 1;
        },
        a);
    auto c = g.map(
        "shared",
        [&](std::int64_t x) {
          ++shared;
          return x;
        },
        i);
    auto rare = g.map(
        "rare", [](std::int64_t x) { return x % 10 == 0; }, i);
    return g.if_else(
        rare,
        [&] {
          return g.map(
              "sum", [](std::int64_t x, std::int64_t y) { return x + y; }, b, c);
        },
        [&] { return c; });
  });
  const auto all = run(pipeline);
  for (std::int64_t x = 0; x < kSamples; ++x) {
    EXPECT_EQ(all[static_cast<std::size_t>(x)], x % 10 == 0 ? x * 10 + 1 + x : x);
  }
  EXPECT_EQ(costly, 30);
  EXPECT_EQ(chained, 30);
  EXPECT_EQ(shared, 300);
}

TEST(Sink, DrawsTheSameNumbersInAndOutsideABranch) {
  auto describe = [](bool inside) {
    return [inside](Graph& g) {
      auto i = indices(g, kSamples);
      auto odd = g.map(
          "odd", [](std::int64_t x) { return x % 2 == 1; }, i);
      Value<float> outer;
      if (!inside) outer = g.uniform(0.f, 1.f);
      auto drawn = g.if_else(
          odd, [&] { return inside ? g.uniform(0.f, 1.f) : outer; }, [&] { return 2.f; });
      auto after = g.uniform(0.f, 1.f);
      return std::tuple{drawn, after};
    };
  };
  auto a = make_pipeline({.batch_size = 8, .seed = 3}, describe(true));
  auto b = make_pipeline({.batch_size = 8, .seed = 3}, describe(false));
  auto ea = a.epoch(), eb = b.epoch();
  while (auto x = ea.next()) {
    auto y = eb.next();
    for (std::size_t k = 0; k < x->size(); ++k) {
      EXPECT_EQ(x->get<0>()[k], y->get<0>()[k]);
      EXPECT_EQ(x->get<1>()[k], y->get<1>()[k]);
    }
  }
}

TEST(Prune, WhatNoOutputNeedsNeverRuns) {
  std::atomic<int> ran{0};
  auto pipeline = make_pipeline({.batch_size = 8}, [&](Graph& g) {
    auto i = indices(g, kSamples);
    auto unused = g.map(
        "unused",
        [&](std::int64_t x) {
          ++ran;
          return x;
        },
        i);
    (void)g.if_else(
        true, [&] { return unused; }, [&] { return i; });
    return i;
  });
  EXPECT_EQ(run(pipeline).size(), 300u);
  EXPECT_EQ(ran, 0);
}

struct MoveOnly {
  std::unique_ptr<std::int64_t> value;
};

TEST(Values, MoveOnlyTypesTravelThroughBranches) {
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2}, [&](Graph& g) {
    auto i = indices(g, kSamples);
    auto box = g.map(
        "box", [](std::int64_t x) { return MoveOnly{std::make_unique<std::int64_t>(x)}; }, i);
    auto odd = g.map(
        "odd", [](std::int64_t x) { return x % 2 == 1; }, i);
    return g.if_else(
        odd,
        [&] {
          return g.map(
              "bigger",
              [](const MoveOnly& m) {
                return MoveOnly{std::make_unique<std::int64_t>(*m.value + 1000)};
              },
              box);
        },
        [&] { return box; });
  });
  std::int64_t x = 0;
  for (const auto& [boxes] : pipeline.epoch()) {
    for (const MoveOnly& box : boxes) {
      ASSERT_NE(box.value, nullptr);
      EXPECT_EQ(*box.value, x % 2 == 1 ? x + 1000 : x);
      ++x;
    }
  }
  EXPECT_EQ(x, kSamples);
}

template <class F>
std::string build_error(F describe, PipelineOptions options = {}) {
  try {
    (void)make_pipeline(options, describe);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BuildErrors, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(build_error([](Graph& g) { return g.constant(1); }),
            "the pipeline has no source; add one that says what samples there are");
  EXPECT_EQ(build_error([](Graph& g) {
              auto i = indices(g, kSamples);
              Value<std::int64_t> leaked;
              (void)g.if_else(
                  true,
                  [&] {
                    return leaked = g.map(
                               "inner", [](std::int64_t x) { return x; }, i);
                  },
                  [&] { return i; });
              return g.map(
                  "user", [](std::int64_t x) { return x; }, leaked);
            }),
            "'user' uses the value 'inner', which exists only inside the branch 'then' of "
            "'if_else'; return it from that branch to use it outside");
  EXPECT_EQ(build_error([](Graph& g) {
              auto i = indices(g, 10);
              auto j = g.source(11, [](const SampleInfo&) { return 1; });
              return std::tuple{i, j};
            }),
            "the source 'source#2' has 11 samples, but the one before it has 10; let one of them "
            "have kUntilEnd if the shortest shall end the epoch");
  EXPECT_EQ(build_error([](Graph& g) {
              auto i = indices(g, kSamples);
              std::vector<std::function<Value<std::int64_t>()>> none;
              return g.select(i, none);
            }),
            "select: the vector of branches is empty; give at least one branch");
  EXPECT_EQ(
      build_error([](Graph& g) { return indices(g, kSamples); }, {.batch_size = 8, .window = 4}),
      "a window of 4 samples can never fill a batch of 8; make window at least batch_size, "
      "or leave it out");
  EXPECT_EQ(build_error([](Graph& g) { return indices(g, kSamples); }, {.batch_size = 0}),
            "batch_size must be at least 1, not 0");
  EXPECT_EQ(build_error([](Graph& g) {
              auto box = g.source(4, [](const SampleInfo&) { return MoveOnly{}; });
              return std::tuple{box, box};
            }).substr(0, 46),
            "output 0 is also another output, but its type ");
}

TEST(BuildErrors, AnExceptionOfABranchReachesTheCallerUnchanged) {
  struct Mine {};
  EXPECT_THROW((void)make_pipeline({},
                                   [](Graph& g) {
                                     auto i = indices(g, kSamples);
                                     return g.if_else(
                                         true, [&]() -> Value<std::int64_t> { throw Mine{}; },
                                         [&] { return i; });
                                   }),
               Mine);
}

}  // namespace control_flow_test
}  // namespace sluice
