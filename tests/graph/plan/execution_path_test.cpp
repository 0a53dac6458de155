// The path of a sample: short, however many iterations a loop has, and the same in errors, warnings
// and inspections.
#include "tests/failing_allocations.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace execution_path_test {

// Fails for sample 0, at any position.
Value<std::int64_t> fail(Graph& g, Value<std::int64_t> x, std::int64_t at) {
  return g.map(
      "fail",
      [at](std::int64_t v) {
        if (v == at) throw std::runtime_error("here");
        return v;
      },
      x);
}

// Returns the path of the only sample's error, which its inspection has, too.
template <class Describe>
std::string path_of_error(Describe describe) {
  auto pipeline =
      make_pipeline({.batch_size = 1, .threads = 1, .on_error = OnError::skip}, describe);
  const auto batch = pipeline.epoch().next();
  EXPECT_EQ(batch->errors().size(), 1u);
  std::string path = batch->errors().at(0).path;
  const Inspection sample = pipeline.inspect(0);
  EXPECT_EQ(sample.path(), path);
  EXPECT_EQ(sample.error()->path, path);
  return path;
}

TEST(Path, NamesTheLoopAndTheBranchesOfThePresentIteration) {
  EXPECT_EQ(path_of_error([](Graph& g) {
              return g.while_loop(
                  indices(g, 1), [](auto x) { return x >= 0; },
                  [&](auto x) {
                    return g.if_else(
                        x % 2 == 0, [&] { return fail(g, x + 1, 53); }, [&] { return x + 1; });
                  });
            }),
            "while_loop (iteration 52)/if_else:then");
}

TEST(Path, NamesLoopsInLoopsInBranches) {
  EXPECT_EQ(path_of_error([](Graph& g) {
              auto i = indices(g, 1);
              return g.if_else(
                  i == 0,
                  [&] {
                    return g.for_loop(4, i, [&](auto, auto outer) {
                      return g.for_loop(3, outer, [&](auto k, auto inner) {
                        return g.select(
                            k, [&] { return inner + 1; }, [&] { return inner + 1; },
                            [&] { return fail(g, inner + 1, 9); });
                      });
                    });
                  },
                  [&] { return i; });
            }),
            "if_else:then/for_loop (iteration 2)/for_loop#2 (iteration 2)/select:branch 2");
}

TEST(Path, OfALoopThatIsOverIsItsNumberOfIterations) {
  for (const std::int64_t count : {0, 1, 1000}) {
    EXPECT_EQ(path_of_error([count](Graph& g) {
                auto i = indices(g, 1);
                auto sum = g.for_loop(count, i, [&](auto k, auto x) {
                  return g.if_else(
                      k % 2 == 0, [&] { return x + 1; }, [&] { return x + 2; });
                });
                return g.if_else(
                    sum >= 0, [&] { return fail(g, sum * 0, 0); }, [&] { return sum; });
              }),
              "for_loop (" + std::to_string(count) + (count == 1 ? " iteration)" : " iterations)") +
                  "/if_else#2:then");
  }
}

TEST(Path, OfALoopThatDoesNotEndIsShort) {
  EXPECT_EQ(path_of_error([](Graph& g) {
              return g.while_loop(
                  indices(g, 1), [](auto x) { return x >= 0; },
                  [&](auto x) {
                    return g.if_else(
                        x % 2 == 0, [&] { return x + 1; }, [&] { return x + 1; });
                  },
                  {.max_iterations = 100'000});
            }),
            "while_loop (iteration 100000)");
}

// The condition may choose, too.
TEST(Path, NamesTheBranchesOfTheCondition) {
  EXPECT_EQ(path_of_error([](Graph& g) {
              return g.while_loop(
                  indices(g, 1),
                  [&](auto x) { return g.all_of(x >= 0, [&] { return fail(g, x, 7) >= 0; }); },
                  [&](auto x) { return x + 1; });
            }),
            "while_loop (iteration 7)/all_of:right side");
}

TEST(Path, OfManyBranchesInARowLeavesOutTheMiddle) {
  const std::string path = path_of_error([](Graph& g) {
    auto i = indices(g, 1);
    auto x = i;
    for (int n = 0; n < 100; ++n) {
      x = g.if_else(
          i == 0, [&] { return x + 1; }, [&] { return x; });
    }
    return fail(g, x, 100);
  });
  EXPECT_EQ(path.substr(0, 32), "if_else:then/if_else#2:then/if_e");
  EXPECT_NE(path.find("/if_else#16:then/(68 more)/if_else#85:then/"), std::string::npos) << path;
  EXPECT_EQ(path.substr(path.size() - 17), "/if_else#100:then");
}

// Nothing stays of the sample that a sample carried before.
TEST(Path, BeginsAnewWithEachSample) {
  auto pipeline = make_pipeline(
      {.batch_size = 1, .threads = 1, .prefetch = 0, .on_error = OnError::skip}, [](Graph& g) {
        auto i = indices(g, 8);
        return g.while_loop(
            i, [](auto x) { return x < 100; }, [&](auto x) { return fail(g, x + 1, 50); });
      });
  std::int64_t id = 0;
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_EQ(batch.errors().at(0).path,
              "while_loop (iteration " + std::to_string(49 - id++) + ")");
  }
  EXPECT_EQ(id, 8);
}

// Once warm, a sample's path takes no memory, however long it is.
TEST(Path, TakesNoMemoryForIterations) {
  const auto allocations = [](std::int64_t iterations) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
      auto i = indices(g, 8);
      return g.for_loop(iterations, i, [&](auto k, auto x) {
        return g.if_else(
            k % 2 == 0, [&] { return x + 1; }, [&] { return x + 2; });
      });
    });
    for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 4u);
    const std::uint64_t before = testing::allocations();
    for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 4u);
    return testing::allocations() - before;
  };
  const std::uint64_t few = allocations(2);
  EXPECT_LE(allocations(5000), few + 40);
}

// A step that warns, as a decoder does.
Value<std::int64_t> warn(Graph& g, Value<std::int64_t> x) {
  detail::Step step = detail::begin_step<Value<std::int64_t>>(g.builder(), "warn", x);
  const auto value = detail::results<std::int64_t>::add(g.builder(), step);
  step.run = [from = x.slot(), to = value.slot()](detail::Sample& sample) {
    sample.get<std::int64_t>(to) = sample.get<std::int64_t>(from);
    sample.warn("look at " + std::to_string(sample.get<std::int64_t>(from)));
  };
  g.builder().add_step(std::move(step));
  return value;
}

TEST(Warnings, OfALoopAreOnlyTheFirstOnes) {
  auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [](Graph& g) {
    return g.for_loop(1000, indices(g, 2), [&](auto, auto x) { return warn(g, x + 1); });
  });
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_EQ(batch.size(), 1u);
    ASSERT_EQ(batch.warnings().size(), 17u);
    EXPECT_EQ(batch.warnings()[15].what, "look at " + std::to_string(batch.index() + 16));
    EXPECT_EQ(batch.warnings()[15].path, "for_loop (iteration 15)");
    EXPECT_EQ(batch.warnings()[16].what, "more warnings were left out");
  }
}

}  // namespace execution_path_test
}  // namespace sluice
