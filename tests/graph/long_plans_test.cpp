// Plans of very many steps are built, drawn, saved and run; plans that nest too deep are refused.
#include "tests/error_of.h"
#include "tests/graph/saved.h"
#include "tests/graph/sources.h"
#include "tests/one_in.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/pipeline.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace long_plans_test {

using Number = Value<std::int64_t>;

// A frame of the stack for each would overflow it.
constexpr std::int64_t kSteps = 100'000;
constexpr int kDeepest = 500;

Number chain(Number x, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) x = x + 1;
  return x;
}

template <class Describe>
auto pipeline_of(const Describe& describe) {
  return make_pipeline({.batch_size = 2, .threads = 1, .prefetch = 0},
                       [&](Graph& g) { return describe(g, indices(g, 2)); });
}
template <class P>
std::int64_t last_of(P& pipeline) {
  std::int64_t last = -1;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t number : batch.template get<0>()) last = number;
  }
  return last;
}

TEST(LongPlans, AChainMayHaveVeryManySteps) {
  auto pipeline = pipeline_of([](Graph&, Number i) { return chain(i, kSteps); });
  EXPECT_EQ(last_of(pipeline), 1 + kSteps);
  EXPECT_GT(to_string(pipeline.plan()).size(), std::size_t(kSteps));
  EXPECT_GT(to_dot(pipeline.plan()).size(), std::size_t(kSteps));
}

TEST(LongPlans, SoMayOneBehindAConditionalAndInALoop) {
  auto pipeline = pipeline_of([](Graph& g, Number i) {
    auto conditional = g.add_conditional("either");
    conditional.set_condition(i % 2 == std::int64_t{1});
    auto inside = conditional.add_input(i);
    auto out = conditional.add_output(chain(inside, kSteps), inside);
    auto loop = g.add_loop("again");
    loop.add_trip_limit(2);
    auto state = loop.add_recurrence(out);
    state.set_next(chain(state.value(), 10));
    return chain(loop.add_output(state), 10);
  });
  EXPECT_EQ(last_of(pipeline), 1 + kSteps + 30);
}

TEST(LongPlans, SavedOnesToo) {
  const std::int64_t steps = kSteps / testing::one_in(5, 20);
  const auto text =
      json_of(pipeline_of([&](Graph&, Number i) { return chain(i, steps); }).recorded_plan());
  const SavedPlan saved = SavedPlan::parse(text, "plan.json", registry());
  auto loaded =
      pipeline_of([&](Graph&, Number i) { return std::get<0>(saved.apply<std::int64_t>(i)); });
  EXPECT_EQ(last_of(loaded), 1 + steps);
}

// Each choice is used by one arm of the next one, so it could go into that.
TEST(LongPlans, AChainOfChoices) {
  constexpr std::int64_t kChoices = 1500;
  auto pipeline = pipeline_of([](Graph& g, Number i) {
    Number x = i;
    for (std::int64_t k = 0; k < kChoices; ++k) {
      x = g.if_else(
          i > 0, [&] { return x + 1; }, [&] { return i; });
    }
    return x;
  });
  EXPECT_EQ(last_of(pipeline), 1 + kChoices);
}

Number nested_choices(Graph& g, Number i, int depth) {
  if (depth == 0) return i + 1;
  return g.if_else(
      i > 0, [&] { return nested_choices(g, i, depth - 1); }, [&] { return i; });
}
Number nested_loops(Graph& g, Number x, int depth) {
  if (depth == 0) return x + 1;
  return g.for_loop(1, x, [&](Number, Number y) { return nested_loops(g, y, depth - 1); });
}
Number nested_conditionals(Graph& g, Number x, int depth) {
  if (depth == 0) return x + 1;
  auto conditional = g.add_conditional("either");
  conditional.set_condition(x > 0);
  auto inside = conditional.add_input(x);
  return conditional.add_output(nested_conditionals(g, inside, depth - 1), inside);
}

// A loop is two levels: itself, and its body.
TEST(LongPlans, ChoicesAndLoopsNestDeepButNotWithoutEnd) {
  struct Case {
    const char* name;
    int most;
    std::function<Number(Graph&, Number, int)> nest;
  };
  const Case cases[] = {{"choices", kDeepest, nested_choices},
                        {"loops", kDeepest / 2, nested_loops},
                        {"conditionals", kDeepest, nested_conditionals}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto nested = [&](int depth) {
      return pipeline_of([&](Graph& g, Number i) { return one.nest(g, i, depth); });
    };
    auto good = nested(one.most / 5);
    EXPECT_EQ(last_of(good), 2);
    EXPECT_NE(to_dot(good.plan()).size() + to_string(good.plan()).size(), 0u);
    const std::string said = error_of<BuildError>([&] { (void)nested(one.most + 1); });
    EXPECT_NE(said.find("lies too deep (got 501 levels of choices and loops, expected at most "
                        "500)"),
              std::string::npos)
        << said;
  }
  auto deepest = pipeline_of([](Graph& g, Number i) { return nested_choices(g, i, kDeepest); });
  EXPECT_EQ(last_of(deepest), 2);
}

}  // namespace long_plans_test
}  // namespace sluice
