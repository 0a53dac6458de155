// Conditionals by explicit boundaries: T2 and T9 to T15 of tests/conformance.md. T1, T3, T4 and T8
// are in programs.json.
#include "tests/graph/conformance/counted.h"

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::conformance {
namespace explicit_conditionals_test {

constexpr int kTens = kSamples / 10;

// For samples where i < 3, in each batch of ten.
Value<bool> given_three(Graph& g) { return given(g, kBools[0]); }

TEST(ExplicitConditionals, T2_AnyNumberOfInputsAndOutputs) {
  for (const int inputs : {0, 1, 3}) {
    expect_same(
        std::to_string(inputs) + " inputs",
        [inputs](Graph& g) {
          auto n = given_idx(g);
          auto cond = g.add_conditional();
          auto sum = n;
          for (int i = 0; i < inputs; ++i) sum = sum + cond.add_input(n);
          auto half = cast<float>(sum) * 0.5f;
          cond.set_condition(given_three(g));
          return std::tuple{
              cond.add_output(sum, n), cond.add_output(half, cast<float>(n)),
              cond.add_output(g.constant(std::string("yes")), g.constant(std::string("no")))};
        },
        [inputs](At a) {
          const int sum = a.idx * (inputs + 1);
          return a.i < 3 ? std::tuple{sum, static_cast<float>(sum) * 0.5f, std::string("yes")}
                         : std::tuple{a.idx, static_cast<float>(a.idx), std::string("no")};
        });
  }
}

TEST(ExplicitConditionals, T9_OnlyWhatCrossesTheBoundaryWaitsForTheDecision) {
  struct Case {
    const char* name;
    bool before_true, before_false;  // the boundary is before the step of that branch
    int true_runs, false_runs;
  };
  constexpr Case kCases[] = {
      {"both branches", true, true, 3 * kTens, 7 * kTens},
      {"true branch", true, false, 3 * kTens, kSamples},
      {"false branch", false, true, kSamples, 7 * kTens},
      {"no boundary: a select", false, false, kSamples, kSamples},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Counted yes, no;
    expect_counts(
        [&](Graph& g) {
          auto n = given_idx(g);
          auto cond = g.add_conditional();
          cond.set_condition(given_three(g));
          auto one = yes(g, c.before_true ? cond.add_input(n) : n, 10);
          auto other = no(g, c.before_false ? cond.add_input(n) : n, 20);
          return cond.add_output(one, other);
        },
        [](At a) { return a.idx + (a.i < 3 ? 10 : 20); },
        [&] {
          EXPECT_EQ(yes.runs(), c.true_runs);
          EXPECT_EQ(no.runs(), c.false_runs);
        });
  }
}

// A chain with the boundary at each of its places: steps before it always run.
TEST(ExplicitConditionals, T9_TheBoundaryCutsAChain) {
  for (int cut = 0; cut <= 3; ++cut) {
    SCOPED_TRACE(cut);
    Counted steps[3];
    expect_counts(
        [&](Graph& g) {
          auto n = given_idx(g);
          auto cond = g.add_conditional();
          cond.set_condition(given_three(g));
          auto x = n;
          for (int i = 0; i < 3; ++i) x = steps[i](g, i == cut ? cond.add_input(x) : x);
          return cond.add_output(x, n);
        },
        [](At a) { return a.i < 3 ? a.idx + 3 : a.idx; },
        [&] {
          for (int i = 0; i < 3; ++i)
            EXPECT_EQ(steps[i].runs(), i < cut ? kSamples : 3 * kTens) << "step " << i;
        });
  }
}

// The pass that moves steps into the only branch that uses them ignores eager steps and eager
// branches. It still applies to callables.
TEST(ExplicitConditionals, T9_EagerBranchesStayEager) {
  Counted inner, lazy;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto cond = g.add_conditional();
        cond.set_condition(given_three(g));
        auto branch = g.if_else(
            n % 2 == 0, [&] { return inner(g, n); }, [&] { return n; });
        auto chosen = cond.add_output(branch, n);
        auto late = lazy(g, n);
        return g.if_else(
            n % 5 == 0, [&] { return late; }, [&] { return chosen; });
      },
      [](At a) {
        if (a.idx % 5 == 0) return a.idx + 1;
        return a.i < 3 && a.idx % 2 == 0 ? a.idx + 1 : a.idx;
      },
      [&] {
        EXPECT_EQ(inner.runs(), 4 * kTens);  // even, and not a multiple of five
        EXPECT_EQ(lazy.runs(), kSamples / 5);
      });
}

TEST(ExplicitConditionals, T10_EagerOrLazyTheValuesAreTheSame) {
  for (const bool crosses : {true, false}) {
    for_each_predicate(
        kBools,
        [crosses](Graph& g, Value<bool> predicate) {
          auto n = given_idx(g);
          auto cond = g.add_conditional();
          cond.set_condition(predicate);
          auto x = crosses ? cond.add_input(n) : n;
          auto draw = [&](const char* name) {
            return g.random(
                name, [](Random& r, int v) { return v + static_cast<int>(r.below(1000)) * 100; },
                x);
          };
          auto one = draw("one");
          auto other = draw("other");
          return cond.add_output(one, other);
        },
        [](bool p, At a) {
          // The generators are numbered as they are described.
          Random r(
              {.seed = 0, .sample = static_cast<std::uint32_t>(a.idx), .generator = p ? 0u : 1u});
          return a.idx + static_cast<int>(r.below(1000)) * 100;
        });
  }
}

TEST(ExplicitConditionals, T11_WhatBothBranchesAndTheOutsideUseIsEager) {
  Counted shared;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto cond = g.add_conditional();
        cond.set_condition(given_three(g));
        auto before = shared(g, n);
        auto x = cond.add_input(n);
        return cond.add_output(before + x, before - x) * 100 + before;
      },
      [](At a) {
        const int before = a.idx + 1;
        return (a.i < 3 ? before + a.idx : before - a.idx) * 100 + before;
      },
      [&] { EXPECT_EQ(shared.runs(), kSamples); });
}

// The nesting of two conditionals is inferred from data flow, in any order of creation.
TEST(ExplicitConditionals, T13_NestingIsInferred) {
  for (const bool outer_first : {true, false}) {
    for_each_pair(
        [&](Graph& g, Value<bool> p, Value<bool> q) {
          auto n = given_idx(g);
          std::vector<ConditionalBoundary> made;
          made.push_back(g.add_conditional());
          made.push_back(g.add_conditional());
          auto outer = made[outer_first ? 0 : 1];
          auto inner = made[outer_first ? 1 : 0];
          inner.set_condition(q);
          outer.set_condition(p);
          auto x = outer.add_input(n) * 2;  // inside the outer one
          auto y = inner.add_input(x);      // so the inner one is, too
          return outer.add_output(inner.add_output(y + 1, y + 2), n);
        },
        [](bool p, bool q, At a) { return p ? a.idx * 2 + (q ? 1 : 2) : a.idx; });
  }
}

// Each conditional lies in the true branch of the one before.
TEST(ExplicitConditionals, T13_SixDeep) {
  constexpr int kDepth = 6;
  Counted innermost;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        std::vector<ConditionalBoundary> all;
        std::vector<Value<int>> inside{n};
        for (int d = 0; d < kDepth; ++d) {
          all.push_back(g.add_conditional());
          inside.push_back(all.back().add_input(inside.back()) + 1);
          all.back().set_condition(n % (d + 2) != 0);
        }
        auto result = innermost(g, inside.back(), 100);
        for (int d = kDepth - 1; d >= 0; --d) {
          const auto at = static_cast<std::size_t>(d);
          result = all[at].add_output(result, inside[at]);
        }
        return result;
      },
      [](At a) {
        for (int d = 0; d < kDepth; ++d) {
          if (a.idx % (d + 2) == 0) return a.idx + d;
        }
        return a.idx + kDepth + 100;
      },
      [&] {
        int coprime = 0;
        for (int i = 0; i < kSamples; ++i) coprime += i % 2 && i % 3 && i % 5 && i % 7 ? 1 : 0;
        EXPECT_EQ(innermost.runs(), coprime);
      });
}

TEST(ExplicitConditionals, T14_ABranchThatIsNotTakenRunsNothingOfWhatLiesInIt) {
  Counted condition, yes, no;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto outer = g.add_conditional("outer");
        outer.set_condition(given_three(g));
        auto x = outer.add_input(n);
        auto inner = g.add_conditional("inner");
        inner.set_condition(condition(g, x, 0) % 2 == 0);
        auto y = inner.add_input(x);
        return outer.add_output(inner.add_output(yes(g, y, 1), no(g, y, 2)), n);
      },
      [](At a) {
        if (a.i >= 3) return a.idx;
        return a.idx % 2 == 0 ? a.idx + 1 : a.idx + 2;
      },
      [&] {
        EXPECT_EQ(condition.runs(), 3 * kTens);
        EXPECT_EQ(yes.runs(), 2 * kTens);
        EXPECT_EQ(no.runs(), 1 * kTens);
      });
}

TEST(ExplicitConditionals, T15_TheConditionIsEvaluatedOnce) {
  Counted condition;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto cond = g.add_conditional();
        cond.set_condition(condition(g, n, 0) < 25);
        auto x = cond.add_input(n);
        return std::tuple{cond.add_output(x + 1, x), cond.add_output(x + 2, x),
                          cond.add_output(n, x + 3)};
      },
      [](At a) {
        return a.idx < 25 ? std::tuple{a.idx + 1, a.idx + 2, a.idx}
                          : std::tuple{a.idx, a.idx, a.idx + 3};
      },
      [&] { EXPECT_EQ(condition.runs(), kSamples); });
}

// Not from TensorRT: a step with an effect lies in the branch of the steps that lead to it.
TEST(ExplicitConditionals, EffectsBelongToTheBranchThatLeadsToThem) {
  Counted yes;
  std::atomic<int> seen{0};
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto cond = g.add_conditional();
        cond.set_condition(given_three(g));
        auto one = yes(g, cond.add_input(n));
        g.tap(
            "see", [&](int) { ++seen; }, one * 2);
        return cond.add_output(one, n);
      },
      [](At a) { return a.i < 3 ? a.idx + 1 : a.idx; },
      [&] {
        EXPECT_EQ(seen.exchange(0), 3 * kTens);
        EXPECT_EQ(yes.runs(), 3 * kTens);
      });
}

// Names, paths, errors and inspections are those of a branch.
TEST(ExplicitConditionals, ErrorsAndInspectionsNameTheBranch) {
  auto pipeline = make_pipeline({.batch_size = kBatch, .on_error = OnError::skip}, [](Graph& g) {
    auto n = given_idx(g);
    auto cond = g.add_conditional("large");
    cond.set_condition(n >= 5);
    auto risky = g.map(
        "risky",
        [](int v) {
          if (v == 7) throw std::runtime_error("seven");
          return v * 10;
        },
        cond.add_input(n));
    return cond.add_output(risky, n);
  });
  auto run = pipeline.epoch();
  const auto batch = run.next();
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].id, 7);
  EXPECT_EQ(batch->errors()[0].step, "risky");
  EXPECT_EQ(batch->errors()[0].path, "large:true");
  const Inspection sample = pipeline.inspect(6);
  EXPECT_EQ(sample.path(), "large:true");
  EXPECT_EQ(sample.get<int>("large's input"), 6);
  EXPECT_EQ(sample.get<int>("risky"), 60);
  EXPECT_EQ(sample.get<int>("large"), 60);
  EXPECT_FALSE(pipeline.inspect(3).has("risky"));
}

}  // namespace explicit_conditionals_test
}  // namespace sluice::conformance
