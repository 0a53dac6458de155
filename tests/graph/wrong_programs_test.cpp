// Wrong programs, and the error message for each: what is wrong, where, and what to do about it.
#include "tests/graph/wrong_program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace sluice {
namespace wrong_programs_test {

using Map = std::map<std::string, Value<int>>;
using IntMap = std::map<int, Value<int>>;
using List = std::vector<Value<int>>;

const std::vector<WrongProgram>& wrong_programs() {
  static const std::vector<WrongProgram> all{
      {"leaked from a branch",
       [](Graph& g) {
         auto n = numbers(g);
         Value<int> leaked;
         (void)g.if_else(
             true, [&] { return leaked = same(g, n, "inner"); }, [&] { return n; });
         return same(g, leaked, "user");
       },
       "'user' uses the value 'inner', which exists only inside the branch 'then' of 'if_else'; "
       "return it from that branch to use it outside"},
      {"leaked from a branch of a select in a branch, as the pipeline's result",
       [](Graph& g) {
         auto n = numbers(g);
         Value<int> leaked;
         (void)g.if_else(
             n > 3,
             [&] {
               return g.select(
                   n, [&] { return n; }, [&] { return leaked = same(g, n, "deep"); });
             },
             [&] { return n; });
         return leaked;
       },
       "'the pipeline's result' uses the value 'deep', which exists only inside the branch 'branch "
       "1' "
       "of 'select'; return it from that branch to use it outside"},
      {"leaked from one branch into the other",
       [](Graph& g) {
         auto n = numbers(g);
         Value<int> leaked;
         return g.if_else(
             n > 3, [&] { return leaked = same(g, n, "mine"); }, [&] { return leaked + 1; });
       },
       "'add' uses the value 'mine', which exists only inside the branch 'then' of 'if_else'; "
       "return it from that branch to use it outside"},
      {"leaked from a branch, returned by the other",
       [](Graph& g) {
         auto n = numbers(g);
         Value<int> leaked;
         return g.if_else(
             n > 3, [&] { return leaked = same(g, n, "mine"); }, [&] { return leaked; });
       },
       "'if_else' uses the value 'mine', which exists only inside the branch 'then' of 'if_else'; "
       "return it from that branch to use it outside"},
      {"leaked from a loop's body",
       [](Graph& g) {
         Value<int> leaked;
         (void)g.for_loop(3, numbers(g), [&](auto, auto x) { return leaked = x + 1; });
         return leaked;
       },
       "'the pipeline's result' uses the value 'add', which exists only inside the body of "
       "'for_loop'; make it part of the loop's state to use it afterwards"},
      {"a loop's state used after the loop",
       [](Graph& g) {
         Value<int> leaked;
         (void)g.while_loop(
             numbers(g), [](auto x) { return x > 3; },
             [&](auto x) {
               leaked = x;
               return x - 1;
             });
         return same(g, leaked, "user");
       },
       "'user' uses the value 'while_loop', which exists only inside the loop 'while_loop'; make "
       "it part of the loop's state to use it afterwards"},
      {"a predicate from a branch",
       [](Graph& g) {
         auto n = numbers(g);
         Value<int> leaked;
         (void)g.if_else(
             true, [&] { return leaked = same(g, n, "inner"); }, [&] { return n; });
         return g.if_else(leaked, 1, 2);
       },
       "'if_else#2' uses the value 'inner', which exists only inside the branch 'then' of "
       "'if_else'; return it from that branch to use it outside"},
      {"a value of another graph",
       [](Graph& g) {
         detail::PlanBuilder builder;
         Graph other(builder);
         (void)numbers(g);
         return same(g, numbers(other));
       },
       "'same' is given a value of another pipeline; describe each pipeline on its own"},
      {"an index of another graph",
       [](Graph& g) {
         detail::PlanBuilder builder;
         Graph other(builder);
         auto n = numbers(g);
         return g.select(
             numbers(other), [&] { return n; }, [&] { return n; });
       },
       "'select' is given a value of another pipeline; describe each pipeline on its own"},
      {"a value that was never made",
       [](Graph& g) {
         (void)numbers(g);
         return same(g, Value<int>());
       },
       "'same' is given a default-constructed Value; use one that a Graph or an operator has made"},
      {"arithmetic on a value that was never made",
       [](Graph& g) { return numbers(g) + Value<int>(); },
       "'add' is given a default-constructed Value; use one that a Graph or an operator has made"},
      {"a branch that gives a value that was never made",
       [](Graph& g) {
         auto n = numbers(g);
         return g.if_else(
             n > 3, [&] { return n; }, [] { return Value<int>(); });
       },
       "the branch 'otherwise' of 'if_else' gives a default-constructed Value; use one that a "
       "Graph or an operator has made"},
      {"arithmetic that begins with a value that was never made",
       [](Graph& g) {
         (void)numbers(g);
         return Value<int>() + 1;
       },
       "'add' is given a default-constructed Value; use one that a Graph or an operator has made"},
      {"a constant's opposite of a value that was never made",
       [](Graph& g) {
         (void)numbers(g);
         return -Value<int>();
       },
       "'negate' is given a default-constructed Value; use one that a Graph or an operator has "
       "made"},
      {"a body that gives a value that was never made",
       [](Graph& g) { return g.for_loop(3, numbers(g), [](auto, auto) { return Value<int>(); }); },
       "the body of 'for_loop' gives a default-constructed Value; use one that a Graph or an "
       "operator has made"},
      {"a condition that was never made",
       [](Graph& g) {
         return g.while_loop(
             numbers(g), [](auto) { return Value<bool>(); }, [](auto x) { return x; });
       },
       "the condition of 'while_loop' gives a default-constructed Value; use one that a Graph or "
       "an operator has made"},
      {"a loop that begins with a value that was never made, in a branch",
       [](Graph& g) {
         auto n = numbers(g);
         return g.if_else(
             n > 3, [&] { return g.for_loop(3, Value<int>(), [](auto, auto x) { return x; }); },
             [&] { return n; });
       },
       "'for_loop' begins with a default-constructed Value; use one that a Graph or an operator "
       "has made"},
      {"a predicate that was never made",
       [](Graph& g) {
         auto n = numbers(g);
         (void)g.if_else(n > 3, n, n);
         return g.if_else(Value<bool>(), n, n);
       },
       "'if_else#2' is given a default-constructed Value; use one that a Graph or an operator has "
       "made"},
      {"a result that was never made",
       [](Graph& g) {
         (void)numbers(g);
         return Value<int>();
       },
       "the pipeline's result is a default-constructed Value; use one that a Graph or an operator "
       "has made"},
      {"a branch that gives a value of another graph, in the branch of a select",
       [](Graph& g) {
         detail::PlanBuilder builder;
         Graph other(builder);
         auto n = numbers(g);
         return g.select(
             n, [&] { return n; },
             [&] {
               return g.if_else(
                   n > 3, [&] { return numbers(other); }, [&] { return n; });
             });
       },
       "the branch 'then' of 'if_else' gives a value of another pipeline; describe each pipeline "
       "on its own"},
      {"no branches",
       [](Graph& g) { return g.select(numbers(g), std::vector<std::function<Value<int>()>>()); },
       "select: the vector of branches is empty; give at least one branch"},
      {"vectors of different length",
       [](Graph& g) {
         auto n = numbers(g);
         return g.if_else(
             n > 3,
             [&] {
               return List{n, n, n};
             },
             [&] {
               return List{n, n};
             })[0];
       },
       "'if_else': the branch 'otherwise', unlike 'then', gives another structure: a vector of 2 "
       "values against one of 3; give both the same lengths and keys"},
      {"a key that the second branch lacks",
       [](Graph& g) {
         auto n = numbers(g);
         return g
             .if_else(
                 n > 3,
                 [&] {
                   return Map{{"image", n}, {"label", n}};
                 },
                 [&] {
                   return Map{{"image", n}};
                 })
             .at("image");
       },
       "'if_else': the branch 'otherwise', unlike 'then', gives another structure: the key 'label' "
       "is missing; give both the same lengths and keys"},
      {"a key that the first branch lacks, in a select",
       [](Graph& g) {
         auto n = numbers(g);
         return g
             .select(
                 n,
                 [&] {
                   return IntMap{{1, n}};
                 },
                 [&] {
                   return IntMap{{1, n}};
                 },
                 [&] {
                   return IntMap{{1, n}, {20, n}};
                 })
             .at(1);
       },
       "'select': the branch 'branch 2', unlike 'branch 0', gives another structure: the key 20 is "
       "there "
       "in addition; give both the same lengths and keys"},
      {"a body whose list grows",
       [](Graph& g) {
         auto n = numbers(g);
         return g.for_loop(3, List{n}, [](auto, List list) {
           list.push_back(list[0]);
           return list;
         })[0];
       },
       "'for_loop': the body, unlike the state it begins with, gives another structure: a vector "
       "of 2 values against one of 1; give both the same lengths and keys"},
      {"a source in a branch",
       [](Graph& g) {
         auto n = numbers(g);
         return g.if_else(
             n > 3, [&] { return numbers(g); }, [&] { return n; });
       },
       "the source 'source#2' stands inside the branch 'then' of 'if_else'; move it to the top of "
       "the pipeline, where it can be used as well"},
      {"a source in a loop",
       [](Graph& g) {
         return g.for_loop(2, numbers(g), [&](auto, auto x) { return x + numbers(g); });
       },
       "the source 'source#2' stands inside the body of 'for_loop'; move it to the top of the "
       "pipeline, where it can be used as well"},
      {"two sources of different size",
       [](Graph& g) {
         auto first = numbers(g, 10);
         return first + numbers(g, 11);
       },
       "the source 'source#2' has 11 samples, but the one before it has 10; let one of them have "
       "kUntilEnd if the shortest shall end the epoch"},
      {"a source of negative size", [](Graph& g) { return numbers(g, -1); },
       "the source 'source' cannot have -1 samples; give the number in an epoch, at least 0"},
      {"no source", [](Graph& g) { return g.constant(1); },
       "the pipeline has no source; add one that says what samples there are"},
      {"a step without a name", [](Graph& g) { return same(g, numbers(g), ""); },
       "a step has an empty name; give it one that messages and drawings can use"},
      {"a limit below zero",
       [](Graph& g) {
         return g.while_loop(
             numbers(g), [](auto x) { return x > 3; }, [](auto x) { return x - 1; },
             {.max_iterations = -1});
       },
       "'while_loop': max_iterations must be at least 0, not -1"},
      {"a probability above one",
       [](Graph& g) {
         auto n = numbers(g);
         return g.if_else(g.coin_flip(1.5f), n, 0);
       },
       "coin_flip: probability must lie between 0 and 1, not 1.5"},
      {"a window too small for a batch",
       [](Graph& g) { return numbers(g); },
       "a window of 4 samples can never fill a batch of 8; make window at least batch_size, or "
       "leave it out",
       {.batch_size = 8, .window = 4}},
      {"a batch of nothing",
       [](Graph& g) { return numbers(g); },
       "batch_size must be at least 1, not 0",
       {.batch_size = 0}},
      {"fewer threads than none",
       [](Graph& g) { return numbers(g); },
       "threads must be at least 1 (or 0 for all CPUs), not -2",
       {.threads = -2}},
      {"a prefetch below zero",
       [](Graph& g) { return numbers(g); },
       "prefetch must be at least 0, not -1",
       {.prefetch = -1}},
      {"a rate above one",
       [](Graph& g) { return numbers(g); },
       "on_error: the rate must lie between 0 and 1, not 1.500000",
       {.on_error = OnError::skip.within(10, 1.5)}},
      {"less than no errors allowed",
       [](Graph& g) { return numbers(g); },
       "on_error: the number of errors allowed must be at least 0, not -1",
       {.on_error = OnError::skip.within(-1)}},
      {"a timeout below zero",
       [](Graph& g) { return numbers(g); },
       "stall_timeout must be a number of seconds (or 0 for never), not -1.000000",
       {.stall_timeout = -1}},
  };
  return all;
}

TEST(WrongPrograms, EachIsToldWhatWhereAndWhatToDo) { expect_told(wrong_programs()); }

// After the error, the program can be corrected and goes on: nothing of the wrong part remains.
TEST(WrongPrograms, TheGraphStaysUsable) {
  auto pipeline = make_pipeline({.batch_size = 8}, [](Graph& g) {
    auto n = numbers(g);
    EXPECT_THROW((void)g.if_else(
                     n > 3, [&] { return List{n}; },
                     [&] {
                       return List{n, n};
                     }),
                 BuildError);
    EXPECT_THROW((void)g.for_loop(2, n, [&](auto, auto x) { return x + Value<int>(); }),
                 BuildError);
    return g.if_else(
        n > 3, [&] { return n; }, [] { return 3; });
  });
  for (const auto& [values] : pipeline.epoch()) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_EQ(values[k], std::max<int>(3, static_cast<int>(k)));
    }
  }
}

}  // namespace wrong_programs_test
}  // namespace sluice
