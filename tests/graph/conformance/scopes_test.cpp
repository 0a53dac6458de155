// Scopes of values, generators in branches, errors while branches are described: C18, C21 to C23,
// C25, C26, C28, C35 and C37 of tests/conformance.md.
#include "tests/graph/conformance/setup.h"
#include <sluice/graph/plan/plan.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::conformance {
namespace scopes_test {

std::size_t count_steps(const detail::Plan& plan) {
  std::size_t count = 0;
  detail::for_each<detail::Step>(plan.top, [&](const detail::Step&) { ++count; });
  return count;
}

// An outer value inside a branch adds no step, at any depth.
TEST(Scopes, C18_AnOuterValueCostsNothingInside) {
  auto pipeline = make_pipeline({.batch_size = kBatch}, [](Graph& g) {
    auto n = given_idx(g);
    auto kept = g.if_else(
        true,
        [&] {
          return g.if_else(
              true,
              [&] {
                return std::tuple{n, n};
              },
              [&] {
                return std::tuple{n, n};
              });
        },
        [&] {
          return std::tuple{n, n};
        });
    return std::get<0>(kept);
  });
  EXPECT_EQ(count_steps(pipeline.recorded_plan()), 1u);  // the source
  for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.get<0>()[0], batch.ids()[0]);
}

// A step that takes only a parameter of the sample, not its data, belongs to the branch that calls
// it.
TEST(Scopes, C21_AStepWithAParameterOnlyBelongsToItsBranch) {
  const auto matrix = [](float degrees) {
    return std::vector<float>{degrees, -degrees, degrees * 2, 1.f};
  };
  const auto apply = [](const std::vector<float>& m, int x) {
    return std::inner_product(m.begin(), m.end(), m.begin(), static_cast<float>(x));
  };
  const auto describe = [&](bool inside) {
    return [&, inside](Graph& g) {
      auto n = given_idx(g);
      auto angle = g.uniform(-10.f, 10.f);
      Value<std::vector<float>> outer;
      if (!inside) outer = g.map("matrix", matrix, angle);
      return g.if_else(
          g.coin_flip(0.4f),
          [&] { return g.map("apply", apply, inside ? g.map("matrix", matrix, angle) : outer, n); },
          [&] { return 0.f; });
    };
  };
  auto a = make_pipeline({.batch_size = kBatch, .seed = 11}, describe(true));
  auto b = make_pipeline({.batch_size = kBatch, .seed = 11}, describe(false));
  auto first = a.epoch(), second = b.epoch();
  int zeros = 0, samples = 0;
  while (auto x = first.next()) {
    auto y = second.next();
    for (std::size_t k = 0; k < x->size(); ++k, ++samples) {
      EXPECT_EQ(x->get<0>()[k], y->get<0>()[k]);
      zeros += x->get<0>()[k] == 0.f ? 1 : 0;
    }
  }
  EXPECT_EQ(samples, kSamples);
  EXPECT_GT(zeros, 0);
  EXPECT_LT(zeros, samples);
}

// Generators and sources do not depend on the branches that samples take.
TEST(Scopes, C25_GeneratorsInABranchGiveWhatTheyGiveOutside) {
  for (std::size_t p = 0; p < 5; ++p) {
    const auto describe = [p](bool inside) {
      return [=](Graph& g) {
        auto predicate = given(g, kBools[p]);
        auto data = given_idx(g);
        Value<float> noise;
        if (!inside) noise = g.normal(0.f, 1.f);
        auto merged = g.if_else(
            predicate,
            [&] {
              auto drawn = inside ? g.normal(0.f, 1.f) : noise;
              return std::tuple{drawn, data};
            },
            [] {
              return std::tuple{-100.f, -1};
            });
        return std::tuple{std::get<0>(merged), std::get<1>(merged), g.uniform(0.f, 1.f)};
      };
    };
    auto a = make_pipeline({.batch_size = kBatch, .seed = 5}, describe(true));
    auto b = make_pipeline({.batch_size = kBatch, .seed = 5}, describe(false));
    auto first = a.epoch(), second = b.epoch();
    int samples = 0;
    while (auto x = first.next()) {
      auto y = second.next();
      for (std::size_t k = 0; k < x->size(); ++k, ++samples) {
        EXPECT_EQ(row_of(*x, k), row_of(*y, k)) << kBools[p].name;
        EXPECT_EQ(x->get<1>()[k], kBools[p].of(at(samples)) ? samples : -1);
      }
    }
    EXPECT_EQ(samples, kSamples);
  }
}

// Random draws inside a branch, in a number that differs from sample to sample.
TEST(Scopes, C26_DrawsOfASizeThatTheSampleSays) {
  auto pipeline = make_pipeline({.batch_size = kBatch, .seed = 21, .threads = 2}, [](Graph& g) {
    auto n = given(g, [](At a) { return std::array{1, 2, 3, 16, 5}[a.i % 5]; });
    auto draw = [](Random& random, int count) {
      std::vector<float> all;
      for (int k = 0; k < count; ++k) all.push_back(random.uniform(0.f, 1.f));
      return all;
    };
    auto everywhere = g.random("draw", draw, n);
    return std::tuple{g.if_else(
                          given(g, kBools[1]), [&] { return g.random("draw", draw, n); },
                          [&] { return everywhere; }),
                      everywhere};
  });
  int idx = 0;
  for (const auto& [merged, outside] : pipeline.epoch()) {
    for (std::size_t k = 0; k < merged.size(); ++k, ++idx) {
      const At a = at(idx);
      const auto count = static_cast<std::size_t>(std::array{1, 2, 3, 16, 5}[a.i % 5]);
      EXPECT_EQ(merged[k].size(), count);
      EXPECT_EQ(outside[k].size(), count);
      Random random({.seed = 21, .sample = static_cast<std::uint32_t>(idx), .generator = 1});
      if (kBools[1].of(a)) {
        EXPECT_EQ(merged[k][0], random.uniform(0.f, 1.f));
      } else {
        EXPECT_EQ(merged[k], outside[k]);
      }
    }
  }
  EXPECT_EQ(idx, kSamples);
}

// Groups within groups: every sample comes out of the leaf that its own coin flips lead to.
Value<int> divide(Graph& g, Value<int> n, Value<int> leaf, int levels) {
  if (levels == 0) return n * 16 + leaf;
  return g.if_else(
      g.coin_flip(0.5f), [&] { return divide(g, n, leaf * 2, levels - 1); },
      [&] { return divide(g, n, leaf * 2 + 1, levels - 1); });
}

TEST(Scopes, C28_RecursiveGroupsLoseNobody) {
  for (const auto& [batch_size, levels] : {std::pair{7, 1}, {1, 1}, {16, 2}, {16, 3}, {101, 3}}) {
    auto pipeline = make_pipeline({.batch_size = batch_size, .seed = 2, .threads = 8},
                                  [batch = batch_size, deep = levels](Graph& g) {
                                    auto n = g.source(batch * 3, [](const SampleInfo& info) {
                                      return static_cast<int>(info.index_in_epoch);
                                    });
                                    return divide(g, n, g.constant(0), deep);
                                  });
    std::vector<int> leaves(std::size_t{1} << levels);
    int idx = 0;
    for (const auto& [merged] : pipeline.epoch()) {
      for (const int value : merged) {
        EXPECT_EQ(value / 16, idx++);
        ++leaves.at(static_cast<std::size_t>(value % 16));
      }
    }
    EXPECT_EQ(std::accumulate(leaves.begin(), leaves.end(), 0), batch_size * 3);
    if (batch_size > 16) {
      for (const int count : leaves) EXPECT_GT(count, 0);
    }
  }
}

struct Mine : std::runtime_error {
  Mine() : std::runtime_error("mine") {}
  int line = 17;
};

// It reaches the caller as it was thrown, from any depth. The graph goes on as if the branch had
// not been begun.
TEST(Scopes, C35_AnExceptionWhileABranchIsDescribed) {
  expect_same(
      "after an exception",
      [](Graph& g) {
        auto n = given_idx(g);
        try {
          (void)g.if_else(
              n > 3,
              [&] {
                return g.for_loop(3, n, [&](auto, auto x) {
                  return g.select(
                      x, [&] { return x + 1; }, [&]() -> Value<int> { throw Mine(); });
                });
              },
              [&] { return n; });
          ADD_FAILURE() << "nothing was thrown";
        } catch (const Mine& mine) {
          EXPECT_EQ(mine.line, 17);
        }
        return g.if_else(
            n > 3, [&] { return n + 1; }, [&] { return n; });
      },
      [](At a) { return a.idx > 3 ? a.idx + 1 : a.idx; });
}

// A merged value is the very object that the branch returned.
TEST(Scopes, C37_MergingCopiesNothing) {
  auto pipeline = make_pipeline({.batch_size = kBatch}, [](Graph& g) {
    auto n = given_idx(g);
    auto make = [](int x) { return std::vector<int>(3, x); };
    auto a = g.map("a", make, n);
    auto b = g.map("b", make, n + 1);
    auto d = g.if_else(
        n % 2 == 0, [&] { return a; }, [&] { return b; });
    return g.map(
        "same",
        [](const std::vector<int>& x, const std::vector<int>& y, const std::vector<int>& z) {
          return (&z == &x ? 1 : 0) + (&z == &y ? 2 : 0);
        },
        a, b, d);
  });
  for (const auto& [which] : pipeline.epoch()) {
    for (std::size_t k = 0; k < which.size(); ++k) EXPECT_EQ(which[k], k % 2 == 0 ? 1 : 2);
  }
}

}  // namespace scopes_test
}  // namespace sluice::conformance
