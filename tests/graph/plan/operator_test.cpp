// Plans that are made from operators and slots, without C++ types, as a loader makes them. They
// mean the same as the typed functions.
#include "tests/graph/sources.h"
#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace operator_test {

using detail::Choosing;
using detail::Constant;
using detail::SlotArgument;
using detail::SlotId;

template <class Describe>
auto numbers_of(Describe describe) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 5}, describe);
  std::vector<std::int64_t> all;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t x : batch.template get<0>()) all.push_back(x);
  }
  return all;
}

TEST(PlansAsData, GiveWhatTheTypedFunctionsGive) {
  const auto typed = numbers_of([](Graph& g) {
    auto x = indices(g, 24);
    auto heads = g.coin_flip(0.25f);
    auto one = g.if_else(
        heads, [&] { return x * 3; }, [&] { return x - 1; });
    auto other = g.select(
        x % 2, [&] { return one; }, [&] { return one + 100; });
    return g.for_loop(2, other, [](Value<std::int64_t> i, Value<std::int64_t> y) { return y + i; });
  });
  const auto data = numbers_of([](Graph& g) {
    auto x = indices(g, 24);
    detail::PlanBuilder& r = g.builder();
    const auto number = [](std::int32_t n) { return Constant(n); };
    const auto binary = [&](const char* name, SlotId a, const detail::Argument& b) {
      return r.add(detail::arithmetic_operator(name), {SlotArgument{a}, b})[0];
    };
    const auto nowhere = [](std::size_t) { return std::string(); };
    const SlotId heads = r.add(detail::coin_flip_operator(), {Constant(0.25f)})[0];
    r.open_choice(r.unique_name("if_else"), {"then", "otherwise"},
                  {Choosing::By::truth, SlotArgument{heads}});
    r.begin_branch();
    r.end_branch({binary("multiply", x.slot(), number(3))}, nowhere);
    r.begin_branch();
    r.end_branch({binary("subtract", x.slot(), number(1))}, nowhere);
    const SlotId one = r.close_choice()[0];
    const SlotId parity = binary("remainder", x.slot(), number(2));
    r.open_choice(r.unique_name("select"), {"branch 0", "branch 1"},
                  {Choosing::By::number, SlotArgument{parity}});
    r.begin_branch();
    r.end_branch({one}, nowhere);
    r.begin_branch();
    r.end_branch({binary("add", one, number(100))}, nowhere);
    const SlotId other = r.close_choice()[0];
    const auto view = r.open_loop(r.unique_name("for_loop"), 100, {other});
    r.begin_condition();
    r.end_condition(r.add(detail::arithmetic_operator("less"),
                          {SlotArgument{view.iteration}, number(2)}, "more")[0]);
    r.begin_body();
    r.end_body({binary("add", view.state[0], SlotArgument{view.iteration})}, nowhere);
    return Value<std::int64_t>(r, r.close_loop()[0]);
  });
  EXPECT_EQ(typed, data);
  EXPECT_EQ(typed.size(), 24u);
}

TEST(PlansAsData, StepsAndBranchesKeepWhatTheyWereMadeFrom) {
  auto pipeline = make_pipeline({}, [](Graph& g) {
    auto x = indices(g, 4);
    g.filter(x > 1);
    return g.if_else(
        g.coin_flip(), [&] { return cast<float>(x); }, [&] { return g.uniform(0.f, 1.f); });
  });
  int steps = 0, choices = 0;
  detail::for_each<detail::Choice>(pipeline.plan().top, [&](const detail::Choice& choice) {
    ++choices;
    ASSERT_TRUE(choice.choosing.has_value());
    EXPECT_EQ(std::get<SlotArgument>(choice.choosing->argument).slot, choice.reads.at(0));
  });
  detail::for_each<detail::Step>(pipeline.plan().top, [&](const detail::Step& step) {
    if (step.pinned) return;
    ++steps;
    ASSERT_NE(step.op, nullptr) << step.name;
    std::vector<SlotId> slots;
    for (const detail::Argument& argument : step.arguments) {
      const auto* slot = std::get_if<SlotArgument>(&argument);
      if (slot == nullptr) continue;
      slots.push_back(slot->slot);
      EXPECT_EQ(slot->type, pipeline.plan().slots[slot->slot].type);
    }
    EXPECT_EQ(slots, step.reads) << step.name;
  });
  EXPECT_EQ(choices, 1);
  EXPECT_EQ(steps, 5);
}

TEST(PlansAsData, WrongOnesAreRefused) {
  struct Case {
    const char* name;
    void (*describe)(Graph&, SlotId);
    std::string what;
  };
  const Case cases[] = {
      {"a slot that is not there",
       [](Graph& g, SlotId) { g.builder().add(detail::filter_operator(), {SlotArgument{77}}); },
       "'filter' uses slot 77, which does not exist"},
      {"too few arguments",
       [](Graph& g, SlotId) { g.builder().add(detail::uniform_operator(), {Constant(1.f)}); },
       "uniform: 1 argument is given, but it takes 2; 'hi' is missing"},
      {"too many arguments",
       [](Graph& g, SlotId x) {
         g.builder().add(detail::coin_flip_operator(), {Constant(1.f), SlotArgument{x}});
       },
       "coin_flip: 2 arguments are given, but it takes 1"},
      {"outputs of another type",
       [](Graph& g, SlotId x) {
         (void)detail::apply_operator<std::int64_t>(g.builder(), detail::coin_flip_operator(),
                                                    0.5f);
         (void)x;
       },
       "apply_operator: 'coin_flip' gives 'bool', but 'i64' is asked of it"},
      {"a type that it does not take",
       [](Graph& g, SlotId x) { g.builder().add(detail::coin_flip_operator(), {SlotArgument{x}}); },
       "coin_flip: 'probability' is given a value of 'i64', but must be one of 'f32'"},
      {"what must be a constant",
       [](Graph& g, SlotId x) { g.builder().add(detail::draw_operator(), {SlotArgument{x}}); },
       "draw: 'count' is given a value of 'i64', but is the same for all samples: give a "
       "constant"},
      {"numbers without bits",
       [](Graph& g, SlotId x) {
         g.builder().add(detail::arithmetic_operator("bitwise_and"),
                         {SlotArgument{x}, Constant(2.f)});
       },
       "bitwise_and: x and y must be whole numbers; cast them"},
      {"a loss",
       [](Graph& g, SlotId) {
         g.builder().add(detail::convert_operator(), {Constant(2.f), Constant(std::string("i32"))});
       },
       "convert: numbers of this type may lose something as 'i32'; cast them"},
      {"a choice by a fraction",
       [](Graph& g, SlotId) {
         g.builder().open_choice("select", {"a", "b"}, {Choosing::By::number, Constant(0.5f)});
       },
       "'select' cannot choose by number (got 0.5, expected an integer, a bool or an enum); cast "
       "it "
       "to an integer"},
      {"branches of two types",
       [](Graph& g, SlotId x) {
         detail::PlanBuilder& r = g.builder();
         const auto nowhere = [](std::size_t) { return std::string(); };
         r.open_choice("select", {"a", "b"}, {Choosing::By::number, SlotArgument{x}});
         r.begin_branch();
         r.end_branch({x}, nowhere);
         r.begin_branch();
         r.end_branch(r.add(detail::coin_flip_operator(), {Constant(0.5f)}), nowhere);
       },
       "'select': value 0 is of type 'bool' in the branch 'b', but 'i64' in the branch 'a'; make "
       "both the same, numbers with cast()"},
      {"a body that returns nothing",
       [](Graph& g, SlotId x) {
         detail::PlanBuilder& r = g.builder();
         r.open_loop("for_loop", 10, {x});
         r.begin_condition();
         r.end_condition(r.add(detail::coin_flip_operator(), {Constant(0.5f)})[0]);
         r.begin_body();
         r.end_body({}, [](std::size_t) { return std::string(); });
       },
       "'for_loop': the body gives 0 values, but the state it begins with gives 1 value"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::string told;
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto x = indices(g, 4);
        c.describe(g, x.slot());
        return x;
      });
    } catch (const BuildError& error) {
      told = error.what();
    }
    EXPECT_EQ(told, c.what);
  }
}

// A step that is given other arguments must be bound again.
TEST(PlansAsData, StepsAreBoundAgain) {
  detail::PlanBuilder builder;
  const SlotId x = builder.add_slot(detail::slot_type<std::int32_t>(), "x");
  const SlotId y = builder.add_slot(detail::slot_type<std::int32_t>(), "y");
  builder.add(detail::arithmetic_operator("add"), {SlotArgument{x}, Constant(std::int32_t{1})});
  detail::Plan plan = builder.take();
  detail::Sample sample(plan);
  sample.get<std::int32_t>(x) = 10;
  sample.get<std::int32_t>(y) = 20;
  detail::Step& step = std::get<detail::Stage>(plan.top.nodes.at(0)).steps.at(0);
  step.run(sample);
  EXPECT_EQ(sample.get<std::int32_t>(step.writes[0]), 11);
  std::get<SlotArgument>(step.arguments[0]).slot = y;
  step.bind();
  step.run(sample);
  EXPECT_EQ(sample.get<std::int32_t>(step.writes[0]), 21);
}

}  // namespace operator_test
}  // namespace sluice
