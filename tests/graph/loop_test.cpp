// Loops: what they collect, carry and count, and their errors. Loops of numbers are in
// conformance/programs.json.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace loop_test {

constexpr std::int64_t kSamples = 200;

// Runs the described program and compares each sample with plain(i).
template <class Describe, class Plain>
void expect_equal(Describe describe, Plain plain) {
  for (const int threads : {1, 2, 8}) {
    auto pipeline = make_pipeline({.batch_size = 7, .threads = threads}, describe);
    std::int64_t i = 0;
    for (int epoch = 0; epoch < 2; ++epoch, i = 0) {
      for (const auto& batch : pipeline.epoch()) {
        for (std::size_t k = 0; k < batch.size(); ++k, ++i) {
          ASSERT_EQ(batch.template get<0>()[k], plain(i))
              << "sample " << i << ", " << threads << " threads";
        }
      }
      EXPECT_EQ(i, kSamples);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
    }
  }
}

TEST(WhileLoop, TheConditionMayBranch) {
  std::atomic<int> right_sides{0};
  expect_equal(
      [&](Graph& g) {
        auto i = indices(g, kSamples);
        return g.while_loop(
            i % 20,
            [&](auto x) {
              return g.all_of(x > 3, [&] {
                return g.map(
                    "right",
                    [&](std::int64_t v) {
                      ++right_sides;
                      return v != 10;
                    },
                    x);
              });
            },
            [](auto x) { return x - 1; });
      },
      [](std::int64_t i) {
        std::int64_t x = i % 20;
        while (x > 3 && x != 10) --x;
        return x;
      });
  EXPECT_GT(right_sides, 0);
}

TEST(ForLoopCollect, GivesTheValuesOfAllIterations) {
  for (const bool reverse : {false, true}) {
    expect_equal(
        [reverse](Graph& g) {
          auto i = indices(g, kSamples);
          auto [last, squares] = g.for_loop_collect(i % 5, i,
                                                    [](auto k, auto x) {
                                                      return std::tuple{x + 1, k * k + x};
                                                    },
                                                    {.reverse = reverse});
          return std::tuple{squares, last};
        },
        [reverse](std::int64_t i) {
          std::vector<std::int64_t> all;
          std::int64_t x = i;
          for (std::int64_t k = 0; k < i % 5; ++k) all.push_back(k * k + x++);
          if (reverse) all = {all.rbegin(), all.rend()};
          return all;
        });
  }
}

struct Box {
  std::unique_ptr<std::string> text = std::make_unique<std::string>();
};

TEST(WhileLoop, CarriesTypesThatOnlyMove) {
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2}, [](Graph& g) {
    auto i = indices(g, kSamples);
    auto box = g.map(
        "box", [](std::int64_t x) { return Box{std::make_unique<std::string>(std::to_string(x))}; },
        i);
    return g.for_loop(i % 4, box, [&](auto k, auto b) {
      return g.map(
          "append",
          [](const Box& in, std::int64_t n) {
            return Box{std::make_unique<std::string>(*in.text + "," + std::to_string(n))};
          },
          b, k);
    });
  });
  std::int64_t i = 0;
  for (const auto& [boxes] : pipeline.epoch()) {
    for (const Box& box : boxes) {
      std::string expected = std::to_string(i);
      for (std::int64_t k = 0; k < i % 4; ++k) expected += "," + std::to_string(k);
      EXPECT_EQ(*box.text, expected);
      ++i;
    }
  }
}

TEST(WhileLoop, ASampleThatExceedsItsLimitFailsAlone) {
  for (const int threads : {1, 8}) {
    auto pipeline = make_pipeline({.batch_size = 10, .threads = threads, .on_error = OnError::skip},
                                  [](Graph& g) {
                                    auto i = indices(g, kSamples);
                                    return g.while_loop(
                                        i % 10, [](auto x) { return x > 0; },
                                        [&](auto x) {
                                          return g.if_else(
                                              x == 7, [&] { return x; }, [&] { return x - 1; });
                                        },
                                        {.max_iterations = 50});
                                  });
    for (const auto& batch : pipeline.epoch()) {
      ASSERT_EQ(batch.errors().size(), 3u);  // 7, 8 and 9 stay at 7
      EXPECT_EQ(batch.errors()[0].id % 10, 7);
      EXPECT_EQ(batch.errors()[0].step, "while_loop");
      EXPECT_EQ(batch.errors()[0].what,
                "exceeds max_iterations (50 iterations); raise it if the loop is right");
      EXPECT_EQ(batch.size(), 7u);
    }
  }
}

TEST(WhileLoop, AnErrorInsideEndsItsSampleAlone) {
  auto pipeline =
      make_pipeline({.batch_size = 10, .threads = 2, .on_error = OnError::skip}, [](Graph& g) {
        auto i = indices(g, kSamples);
        return g.for_loop(i % 10, std::int64_t{12}, [](auto k, auto x) { return x / (k - 4); });
      });
  for (const auto& batch : pipeline.epoch()) {
    ASSERT_EQ(batch.errors().size(), 5u);  // 5 iterations and more reach k = 4
    EXPECT_EQ(batch.errors()[0].what, "integer division by zero");
    EXPECT_EQ(batch.errors()[0].step, "divide");
  }
}

TEST(WhileLoop, CancelingEndsALoopThatWouldRunForEver) {
  for (const int threads : {1, 2}) {
    std::atomic<bool> running{false};
    auto pipeline = make_pipeline({.batch_size = 2, .threads = threads}, [&](Graph& g) {
      auto i = indices(g, kSamples);
      return g.while_loop(
          i, [](auto x) { return x >= 0; },
          [&](auto x) {
            return g.map(
                "spin",
                [&](std::int64_t v) {
                  running = true;
                  running.notify_all();
                  return v;
                },
                x);
          },
          {.max_iterations = INT64_MAX});
    });
    auto run = pipeline.epoch();
    running.wait(false);
    pipeline.cancel();
    EXPECT_FALSE(run.next().has_value());
  }
}

TEST(Prune, ALoopWhoseResultNobodyNeedsIsGone) {
  std::atomic<int> ran{0};
  auto pipeline = make_pipeline({.batch_size = 8}, [&](Graph& g) {
    auto i = indices(g, kSamples);
    (void)g.for_loop(5, i, [&](auto, auto x) {
      return g.map(
          "count",
          [&](std::int64_t v) {
            ++ran;
            return v;
          },
          x);
    });
    return i;
  });
  EXPECT_TRUE(pipeline.epoch().next().has_value());
  EXPECT_EQ(ran, 0);
}

// A whole loop that only one branch uses runs only there.
TEST(Sink, MovesLoopsAndBranchesIntoTheBranchThatUsesThem) {
  std::atomic<int> loops{0}, branches{0};
  expect_equal(
      [&](Graph& g) {
        auto i = indices(g, kSamples);
        auto looped = g.for_loop(2, i, [&](auto, auto x) {
          return g.map(
              "loop",
              [&](std::int64_t v) {
                ++loops;
                return v + 1;
              },
              x);
        });
        auto branched = g.if_else(
            i % 2 == 0,
            [&] {
              return g.map(
                  "then",
                  [&](std::int64_t v) {
                    ++branches;
                    return v * 2;
                  },
                  looped);
            },
            [&] {
              return g.map(
                  "else",
                  [&](std::int64_t v) {
                    ++branches;
                    return v * 3;
                  },
                  looped);
            });
        return g.if_else(
            i % 10 == 0, [&] { return branched; }, [&] { return i; });
      },
      [](std::int64_t i) { return i % 10 == 0 ? (i + 2) * 2 : i; });
  EXPECT_EQ(loops, 3 * 2 * 20 * 2);  // threads, epochs, samples, iterations
  EXPECT_EQ(branches, 3 * 2 * 20);
}

}  // namespace loop_test
}  // namespace sluice
