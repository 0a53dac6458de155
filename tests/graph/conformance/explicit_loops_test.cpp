// Loops by explicit boundaries: T18 to T20 and T26 to T30 of tests/conformance.md. T17 is in
// programs.json.
#include "tests/graph/conformance/lists.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::conformance {
namespace explicit_loops_test {

template <class Count>
void expect_trips(const char* type, Count count) {
  expect_same(
      type,
      [count](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(n);
        loop.add_trip_limit(count);
        x.set_next(x.value() + 1);
        return loop.add_output(x);
      },
      [count](At a) {
        return a.idx + static_cast<int>(std::max<std::int64_t>(0, detail::to_count(count)));
      });
}

TEST(ExplicitLoops, T18_TheCountIsAnyInteger) {
  expect_trips("int", 3);
  expect_trips("negative", -3);
  expect_trips<std::int8_t>("int8", 4);
  expect_trips<std::uint64_t>("uint64", 5);
  EXPECT_EQ(detail::to_count(std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(detail::to_count(-1), -1);
}

// Checked before the body. The body may use the values of the condition, which are made once.
TEST(ExplicitLoops, T18_TheConditionIsAskedBeforeEachIteration) {
  Counted asked, body;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(n);
        auto next = asked(g, x.value());
        loop.add_while(next % 5 != 1);
        x.set_next(body(g, next, 0));
        return loop.add_output(x);
      },
      [](At a) { return (a.idx + 4) / 5 * 5; },
      [&] {
        // From 0, 1, 2, 3, 4 of five: 0, 4, 3, 2, 1 trips, and one question more each.
        EXPECT_EQ(body.runs(), kSamples / 5 * 10);
        EXPECT_EQ(asked.runs(), kSamples / 5 * 15);
      });
}

// In the condition, only one branch uses the value that the body uses as well. The value does not
// move into that branch.
TEST(ExplicitLoops, T18_WhatTheBodyUsesStaysOutsideTheBranchesOfTheCondition) {
  for (const bool with_count : {false, true}) {
    expect_same(
        with_count ? "with a count" : "without",
        [with_count](Graph& g) {
          auto n = given_idx(g);
          auto loop = g.add_loop();
          auto x = loop.add_recurrence(n);
          auto next = x.value() + 3;
          if (with_count) loop.add_trip_limit(6);
          loop.add_while(g.if_else(
              x.value() % 2 == 0, [&] { return next < 40; }, [&] { return x.value() < 30; }));
          x.set_next(next);
          return loop.add_output(x);
        },
        [with_count](At a) {
          int x = a.idx;
          for (int i = 0; !with_count || i < 6; ++i, x += 3) {
            if (x % 2 == 0 ? x + 3 >= 40 : x >= 30) break;
          }
          return x;
        });
  }
}

// With a count, too, the condition is not evaluated after the last iteration.
TEST(ExplicitLoops, T18_ThereIsNothingToAskWhenTheCountIsReached) {
  Counted asked;
  expect_counts(
      [&](Graph& g) {
        (void)given_idx(g);
        auto loop = g.add_loop();
        auto sum = loop.add_recurrence(0);
        auto element = loop.add_iterator(given_list(g));  // has ten elements, not eleven
        loop.add_trip_limit(10);
        loop.add_while(asked(g, element, 0) < 100);
        sum.set_next(sum.value() + element);
        return loop.add_output(sum);
      },
      [](At) { return 39; }, [&] { EXPECT_EQ(asked.runs(), 10 * kSamples); });
}

TEST(ExplicitLoops, T18_AConditionThatAlwaysHoldsEndsAtMaxIterations) {
  auto pipeline = make_pipeline({.batch_size = kBatch, .on_error = OnError::skip}, [](Graph& g) {
    auto n = given_idx(g);
    auto loop = g.add_loop("endless", {.max_iterations = 7});
    auto x = loop.add_recurrence(n);
    loop.add_while(x.value() != 3);
    x.set_next(x.value());
    return loop.add_output(x);
  });
  auto run = pipeline.epoch();
  const auto batch = run.next();
  ASSERT_EQ(batch->errors().size(), 9u);  // all but number 3
  EXPECT_EQ(batch->errors()[0].step, "endless");
}

TEST(ExplicitLoops, T19_NoIterations) {
  Counted body;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(n);
        loop.add_trip_limit(n * 0);
        x.set_next(body(g, x.value()));
        return std::tuple{loop.add_output(x), loop.add_output(x.value(), 2)};
      },
      [](At a) {
        return std::tuple{a.idx, Ints{0, 0}};
      },
      [&] { EXPECT_EQ(body.runs(), 0); });
}

// The sequence is the initial value, then each next one. Assignments happen at the same time, and
// the next value may come from outside.
TEST(ExplicitLoops, T20_Recurrences) {
  expect_same(
      "two numbers that change places, and one from outside",
      [](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto a = loop.add_recurrence(n);
        auto b = loop.add_recurrence(100);
        auto c = loop.add_recurrence(-1);
        a.set_next(b.value());
        b.set_next(a.value() + 1);
        c.set_next(n);
        loop.add_trip_limit(n % 4);
        return std::tuple{loop.add_output(a), loop.add_output(b), loop.add_output(c),
                          loop.add_output(c.value(), 4)};
      },
      [](At at) {
        int a = at.idx, b = 100, c = -1;
        Ints seen;
        for (int i = 0; i < at.idx % 4; ++i) {
          seen.push_back(c);
          std::tie(a, b, c) = std::tuple{b, a + 1, at.idx};
        }
        return std::tuple{a, b, c, filled(seen, 4)};
      });
}

// Values that do not change between iterations are made once, before the loop.
TEST(ExplicitLoops, T26_OuterValuesInside) {
  Counted outer;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(0);
        x.set_next(x.value() + outer(g, n));
        loop.add_trip_limit(5);
        return loop.add_output(x);
      },
      [](At a) { return 5 * (a.idx + 1); }, [&] { EXPECT_EQ(outer.runs(), kSamples); });
}

TEST(ExplicitLoops, T27_ALoopWhoseOutputsNobodyNeedsIsGone) {
  for (const bool with_output : {false, true}) {
    Counted body;
    expect_counts(
        [&](Graph& g) {
          auto n = given_idx(g);
          auto loop = g.add_loop();
          auto x = loop.add_recurrence(n);
          x.set_next(body(g, x.value()));
          loop.add_trip_limit(5);
          if (with_output) (void)loop.add_output(x);
          return n;
        },
        [](At a) { return a.idx; }, [&] { EXPECT_EQ(body.runs(), 0); });
  }
}

TEST(ExplicitLoops, T27_SeveralOfEach) {
  expect_same(
      "two iterators, two recurrences, three outputs",
      [](Graph& g) {
        (void)given_idx(g);
        auto loop = g.add_loop();
        auto sum = loop.add_recurrence(0);
        auto product = loop.add_recurrence(1);
        auto x = loop.add_iterator(given_list(g));
        auto y = loop.add_iterator(given_list(g), {.reverse = true});
        sum.set_next(sum.value() + x * y);
        product.set_next(product.value() * x);
        loop.add_trip_limit(10);
        return std::tuple{loop.add_output(sum), loop.add_output(product),
                          loop.add_output(x * y, 10, {.reverse = true})};
      },
      [](At) {
        int sum = 0, product = 1;
        Ints all;
        for (int i = 0; i < 10; ++i) {
          sum += kPi[i] * kPi[9 - i];
          product *= kPi[i];
          all.push_back(kPi[i] * kPi[9 - i]);
        }
        return std::tuple{sum, product, filled(all, 10, true)};
      });
}

TEST(ExplicitLoops, T29_UnneededWorkIsLeftOut) {
  Counted needed, unneeded;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(n);
        x.set_next(needed(g, x.value()));
        loop.add_trip_limit(2);
        (void)loop.add_output(unneeded(g, x.value()), 2);
        return loop.add_output(x);
      },
      [](At a) { return a.idx + 2; },
      [&] {
        EXPECT_EQ(needed.runs(), 2 * kSamples);
        EXPECT_EQ(unneeded.runs(), 0);
      });
}

TEST(ExplicitLoops, T30_LoopsInLoops) {
  Counted row;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto outer = g.add_loop("outer");
        auto total = outer.add_recurrence(n);
        auto i = outer.add_iterator(given_list(g));
        auto inner = g.add_loop("inner");
        auto sum = inner.add_recurrence(total.value());
        auto j = inner.add_iterator(given_list(g));
        sum.set_next(sum.value() + row(g, i, 0) * j);  // the row is of the outer loop
        inner.add_trip_limit(3);
        total.set_next(inner.add_output(sum));
        outer.add_trip_limit(4);
        return outer.add_output(total);
      },
      [](At a) { return a.idx + (3 + 1 + 4 + 1) * (3 + 1 + 4); },
      [&] { EXPECT_EQ(row.runs(), 4 * kSamples); });
}

TEST(ExplicitLoops, T30_ConditionalsInLoops) {
  Counted even, odd;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(n);
        auto cond = g.add_conditional();
        cond.set_condition(x.value() % 2 == 0);
        auto inside = cond.add_input(x.value());
        x.set_next(cond.add_output(even(g, inside, 3), odd(g, inside, 1)));
        loop.add_trip_limit(4);
        return loop.add_output(x);
      },
      [](At a) { return a.idx + 8; },
      [&] {
        EXPECT_EQ(even.runs(), 2 * kSamples);
        EXPECT_EQ(odd.runs(), 2 * kSamples);
      });
}

TEST(ExplicitLoops, T30_LoopsInConditionals) {
  Counted body;
  expect_counts(
      [&](Graph& g) {
        auto n = given_idx(g);
        auto cond = g.add_conditional();
        cond.set_condition(n % 10 == 0);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(cond.add_input(n));
        x.set_next(body(g, x.value()));
        loop.add_trip_limit(3);
        return cond.add_output(loop.add_output(x), n);
      },
      [](At a) { return a.i == 0 ? a.idx + 3 : a.idx; },
      [&] { EXPECT_EQ(body.runs(), 3 * kSamples / 10); });
}

}  // namespace explicit_loops_test
}  // namespace sluice::conformance
