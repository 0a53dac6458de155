// Explicit boundaries that make no sense, and the error message for each.
#include "tests/graph/wrong_program.h"
#include <sluice/graph/boundaries.h>

#include <string>
#include <tuple>
#include <vector>

namespace sluice {
namespace wrong_boundaries_test {

// A tensor with a known type and number of dimensions.
Value<Tensor> tensor_of(Graph& g, Value<int> n, DType dtype) {
  const auto create = [dtype](int, Tensor& out) { out.create({2}, dtype); };
  return g.declare(g.map_into<Tensor>("make", create, n), {.dtype = dtype, .rank = 1});
}
Value<int> elements(Graph& g, Value<Tensor> tensor) {
  return g.map(
      "elements", [](const Tensor& t) { return static_cast<int>(t.elements()); }, tensor);
}

const std::vector<WrongProgram>& wrong_conditionals() {
  static const std::vector<WrongProgram> all{
      {"no condition",
       [](Graph& g) {
         auto n = numbers(g);
         return g.add_conditional("flip").add_output(n, n);
       },
       "'flip' has no condition; give it one with set_condition"},
      {"two conditions",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         cond.set_condition(n > 4);
         return cond.add_output(n, n);
       },
       "'conditional' has a condition already; give it only one"},
      {"no outputs",
       [](Graph& g) {
         auto n = numbers(g);
         g.add_conditional().set_condition(n > 3);
         return n;
       },
       "'conditional' has no outputs, so nothing depends on its condition; add one with "
       "add_output"},
      {"a value of a branch outside",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         auto inner = same(g, cond.add_input(n), "inner");
         return cond.add_output(inner, n) + same(g, inner, "user");
       },
       "'user' uses the value 'inner', which exists only inside the branch 'true' of "
       "'conditional'; return it with add_output to use it outside"},
      {"a value of a branch as the pipeline's result",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         auto inner = same(g, cond.add_input(n), "inner");
         g.tap(
             "see", [](int) {}, cond.add_output(n, inner));
         return inner;
       },
       "'the pipeline's result' uses the value 'inner', which exists only inside the branch "
       "'false' of 'conditional'; return it with add_output to use it outside"},
      {"a value of a branch, which both branches and the outside use",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         auto inner = same(g, cond.add_input(n), "inner");
         return cond.add_output(inner + 1, inner + 2) + inner;
       },
       "'inner' lies in both branches of 'conditional': it depends on an input, and both branches "
       "use it; compute it from the value outside, before the decision, or once in each branch"},
      {"one branch uses a value of the other",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         auto inner = same(g, cond.add_input(n), "inner");
         return cond.add_output(inner, same(g, inner, "other"));
       },
       "'inner' lies in both branches of 'conditional': it depends on an input, and both branches "
       "use it; compute it from the value outside, before the decision, or once in each branch"},
      {"an input used outside",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         auto x = cond.add_input(n);
         return cond.add_output(x, n) + same(g, x, "user");
       },
       "'user' uses 'conditional's input', which only serves the outputs of 'conditional'; "
       "elsewhere, use the value that was given to add_input"},
      {"a condition from inside",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         auto x = cond.add_input(n);
         cond.set_condition(x > 3);
         return cond.add_output(x, n);
       },
       "'greater' uses 'conditional's input', which only serves the outputs of 'conditional'; "
       "elsewhere, use the value that was given to add_input"},
      {"an effect of an input alone",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         auto x = cond.add_input(n);
         g.tap(
             "see", [](int) {}, x);
         return cond.add_output(x, n);
       },
       "'see' uses 'conditional's input', which only serves the outputs of 'conditional'; "
       "elsewhere, use the value that was given to add_input"},
      {"two conditionals that overlap",
       [](Graph& g) {
         auto n = numbers(g);
         auto first = g.add_conditional("first");
         auto second = g.add_conditional("second");
         first.set_condition(n > 3);
         second.set_condition(n > 4);
         auto both = first.add_input(n) + second.add_input(n);
         return first.add_output(both, n) + second.add_output(both, n);
       },
       "'add' lies in the branch 'true' of 'first' and in the branch 'true' of 'second', but "
       "neither of them lies in the other; end one, and return its value with add_output, before "
       "the other uses it"},
      {"each uses what the other gives",
       [](Graph& g) {
         auto n = numbers(g);
         auto first = g.add_conditional("first");
         auto second = g.add_conditional("second");
         auto a = first.add_output(n, n);
         auto b = second.add_output(n, n);
         first.set_condition(b > 3);
         second.set_condition(a > 4);
         return a + b;
       },
       "a value depends on itself: 'greater' -> 'first' -> 'greater#2' -> 'second' -> 'greater'; "
       "only the next value of a recurrence may lead back"},
      {"each uses what is inside the other",
       [](Graph& g) {
         auto n = numbers(g);
         auto first = g.add_conditional("first");
         auto second = g.add_conditional("second");
         first.set_condition(n > 3);
         second.set_condition(n > 4);
         auto both = first.add_input(n) + second.add_input(n);
         (void)first.add_output(both, n);
         (void)second.add_output(both, n);
         g.tap(
             "see", [](int) {}, both);
         return n;
       },
       "'first' and another conditional or loop each use a value from inside the other; end one, "
       "and return its value with add_output, before the other uses it"},
      {"a boundary used in another block",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         return g.if_else(
             n > 4, [&] { return cond.add_output(n, n); }, n);
       },
       "'conditional' stands in the top of the pipeline, but add_output is called in the branch "
       "'then' of 'if_else'; call it where the boundary was added"},
      {"a boundary used when its block is over",
       [](Graph& g) {
         auto n = numbers(g);
         std::vector<ConditionalBoundary> kept;
         auto chosen = g.if_else(
             n > 4,
             [&] {
               kept.push_back(g.add_conditional());
               kept[0].set_condition(n > 3);
               return kept[0].add_output(n, n);
             },
             n);
         return kept[0].add_output(chosen, n);
       },
       "'conditional' stands in the branch 'then' of 'if_else', but add_output is called in the "
       "top of the pipeline; call it where the boundary was added"},
      {"an output of a value from a branch",
       [](Graph& g) {
         auto n = numbers(g);
         Value<int> leaked;
         (void)g.if_else(
             n > 4, [&] { return leaked = same(g, n, "deep"); }, n);
         return g.add_conditional().add_output(leaked, n);
       },
       "'conditional' uses the value 'deep', which exists only inside the branch 'then' of "
       "'if_else'; return it from that branch to use it outside"},
      {"an input that was never made",
       [](Graph& g) { return g.add_conditional().add_input(Value<int>()); },
       "'conditional' is given a default-constructed Value; use one that a Graph or an operator "
       "has "
       "made"},
      {"branches that give tensors of different types",
       [](Graph& g) {
         auto n = numbers(g);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         auto bytes = tensor_of(g, n, DType::u8);
         return elements(g, cond.add_output(tensor_of(g, cond.add_input(n), DType::f32), bytes));
       },
       "'conditional': output 0 is a tensor (u8, 1 dimension) in the branch 'false', but (f32, 1 "
       "dimension) in the branch 'true'; make both agree in type, layout and number of dimensions"},
  };
  return all;
}

// A loop of three iterations that counts from n.
struct Counting {
  explicit Counting(Graph& g)
      : n(numbers(g)), loop(g.add_loop("count")), carried(loop.add_recurrence(n)) {}
  Value<int> n;
  LoopBoundary loop;
  Recurrence<int> carried;
  void end() {
    loop.add_trip_limit(3);
    carried.set_next(carried.value() + 1);
  }
};

const std::vector<WrongProgram>& wrong_loops() {
  static const std::vector<WrongProgram> all{
      {"no limit",
       [](Graph& g) {
         Counting c(g);
         c.carried.set_next(c.carried.value() + 1);
         return c.loop.add_output(c.carried);
       },
       "'count' would never end: it has neither a count nor a condition; add add_trip_limit or "
       "add_while"},
      {"two counts",
       [](Graph& g) {
         Counting c(g);
         c.end();
         c.loop.add_trip_limit(c.n);
         return c.loop.add_output(c.carried);
       },
       "'count' has a trip limit already; give it only one"},
      {"two conditions",
       [](Graph& g) {
         Counting c(g);
         c.end();
         c.loop.add_while(c.carried.value() < 9);
         c.loop.add_while(c.carried.value() < 8);
         return c.loop.add_output(c.carried);
       },
       "'count' has a condition already; give it only one"},
      {"a condition that never changes",
       [](Graph& g) {
         Counting c(g);
         c.end();
         c.loop.add_while(c.n < 9);
         return c.loop.add_output(c.carried);
       },
       "'count': the value 'less' given to add_while is the same in each iteration; it must depend "
       "on a recurrence or an iterator of this loop"},
      {"a recurrence without a next value",
       [](Graph& g) {
         Counting c(g);
         c.loop.add_trip_limit(3);
         return c.loop.add_output(c.carried);
       },
       "'count' has a recurrence without a next value; give it one with set_next"},
      {"two next values",
       [](Graph& g) {
         Counting c(g);
         c.end();
         c.carried.set_next(c.n);
         return c.loop.add_output(c.carried);
       },
       "'count' has a next value for this recurrence already; give it only one"},
      {"backwards without a count",
       [](Graph& g) {
         Counting c(g);
         auto list = g.constant(std::vector<int>{1, 2});
         c.loop.add_while(c.carried.value() < 9);
         c.carried.set_next(c.carried.value() + c.loop.add_iterator(list, {.reverse = true}));
         return c.loop.add_output(c.carried);
       },
       "'count' has an iterator that goes backwards, but no count to begin at; add add_trip_limit"},
      {"a count from inside",
       [](Graph& g) {
         Counting c(g);
         c.loop.add_trip_limit(c.carried.value());
         c.carried.set_next(c.carried.value() + 1);
         return c.loop.add_output(c.carried);
       },
       "'count's count' uses the value 'count's recurrence', which exists only inside the loop "
       "'count'; return it with add_output to use it outside"},
      {"a length from inside",
       [](Graph& g) {
         Counting c(g);
         c.end();
         auto kept = c.loop.add_output(c.n, c.carried.value());
         return g.map(
             "size", [](const std::vector<int>& list) { return static_cast<int>(list.size()); },
             kept);
       },
       "'count' uses the value 'count's recurrence', which exists only inside the loop 'count'; "
       "return it with add_output to use it outside"},
      {"a value of the loop outside",
       [](Graph& g) {
         Counting c(g);
         auto inner = same(g, c.carried.value(), "inner");
         c.loop.add_trip_limit(3);
         c.carried.set_next(inner);
         return c.loop.add_output(c.carried) + same(g, inner, "user");
       },
       "'user' uses the value 'inner', which exists only inside the loop 'count'; return it with "
       "add_output to use it outside"},
      {"an output of the loop inside",
       [](Graph& g) {
         Counting c(g);
         c.loop.add_trip_limit(3);
         auto last = c.loop.add_output(c.carried);
         c.carried.set_next(c.carried.value() + last);
         return last;
       },
       "a value depends on itself: 'add' -> 'count' -> 'add'; only the next value of a "
       "recurrence may lead back"},
      {"an output of another loop's recurrence",
       [](Graph& g) {
         Counting c(g);
         c.end();
         return g.add_loop("other").add_output(c.carried);
       },
       "'other': the recurrence given to add_output is of another loop; its last value is an "
       "output of that one"},
      {"an axis that lists do not have",
       [](Graph& g) {
         Counting c(g);
         c.end();
         (void)c.loop.add_output(c.n, 3, {.axis = 1});
         return c.n;
       },
       "'count': there is no axis 1; a list has axis 0, a tensor 0 to 5"},
      {"an axis that no tensor has",
       [](Graph& g) {
         Counting c(g);
         c.end();
         (void)c.loop.add_iterator(tensor_of(g, c.n, DType::f32), {.axis = 6});
         return c.n;
       },
       "'count': there is no axis 6; a list has axis 0, a tensor 0 to 5"},
      {"a loop and a conditional that overlap",
       [](Graph& g) {
         Counting c(g);
         auto cond = g.add_conditional();
         cond.set_condition(c.n > 3);
         auto both = cond.add_input(c.n) + c.carried.value();
         c.loop.add_trip_limit(3);
         c.carried.set_next(both);
         return cond.add_output(both, c.n) + c.loop.add_output(c.carried);
       },
       "'add' lies in the branch 'true' of 'conditional' and in the loop 'count', but neither of "
       "them lies in the other; end one, and return its value with add_output, before the other "
       "uses it"},
      {"a next value of another type than the first",
       [](Graph& g) {
         Counting c(g);
         c.end();
         auto tensor = c.loop.add_recurrence(tensor_of(g, c.n, DType::f32));
         tensor.set_next(tensor_of(g, c.carried.value(), DType::u8));
         return elements(g, c.loop.add_output(tensor));
       },
       "'count': recurrence 1 is a tensor (u8, 1 dimension) as the body gives it, but (f32, 1 "
       "dimension) as it begins; make both agree in type, layout and number of dimensions"},
  };
  return all;
}

TEST(WrongBoundaries, ConditionalsAreToldWhatWhereAndWhatToDo) {
  expect_told(wrong_conditionals());
}
TEST(WrongBoundaries, LoopsAreToldWhatWhereAndWhatToDo) { expect_told(wrong_loops()); }

}  // namespace wrong_boundaries_test
}  // namespace sluice
