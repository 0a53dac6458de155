// Loops that the type system refuses.
//
// WANT 1: while_loop: the condition must return a Value<bool>, or a bool; compare a number first
// TYPES 1: sluice::Value<int>
// WANT 2: for_loop: the body returns another type than the state: it must return the same structure and types as the state it begins with; convert with cast<T>(value)
// TYPES 2: sluice::Value<int>
// TYPES 2: sluice::Value<float>
// WANT 3: for_loop: the count must be an integer, or a Value of one
// WANT 4: for_loop: the count must be an integer, or a Value of one
// WANT 5: while_loop: the condition cannot be called with the state: let it take the state, or one parameter for each element of a state that is a tuple, of these types
// TYPES 5: sluice::Value<int>
// WANT 6: while_loop: the condition cannot be called with the state
// TYPES 6: sluice::Value<int>
// WANT 7: while_loop: the body cannot be called with the state
// TYPES 7: std::tuple<sluice::Value<int>, sluice::Value<int>>
// WANT 8: while_loop: the body cannot be called with the state
// TYPES 8: sluice::Value<int>, int
// WANT 9: for_loop: the body cannot be called with the number of the iteration and the state: let it take a Value<std::int64_t>, then the state, or one parameter for each element of a state that is a tuple, of these types
// TYPES 9: sluice::Value<int>
// WANT 10: for_loop: the body cannot be called with the number of the iteration and the state
// WANT 11: while_loop: the body returns nothing: end it with `return` and its result
// WANT 12: while_loop: the condition returns nothing
// WANT 13: for_loop: the body returns nothing
// WANT 14: for_loop_collect: the body must return std::tuple{next state, value}: two elements, of which the second is the one Value or constant to keep
// TYPES 14: sluice::Value<int>
// WANT 15: for_loop_collect: the body must return std::tuple{next state, value}
// TYPES 15: std::tuple<sluice::Value<int>, sluice::Value<int>, sluice::Value<int>>
// WANT 16: for_loop_collect: the body's first element is another type than the state
// TYPES 16: sluice::Value<float>
// WANT 17: for_loop_collect: the body returns nothing
// WANT 18: for_loop_collect: the body cannot be called with the number of the iteration and the state
// WANT 19: a loop: the state that it begins with returns a struct with a constant in it
// TYPES 19: PartlyConstant
// WANT 20: while_loop: the body returns another type than the state
// TYPES 20: sluice::Value<int>
// TYPES 20: std::tuple<sluice::Value<int>, sluice::Value<int>>
// WANT 21: for_loop: the body cannot be called with the number of the iteration and the state
// TYPES 21: sluice::Value<int>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <string>
#include <tuple>
#include <vector>

using namespace sluice;

struct PartlyConstant {
  Value<int> a;
  int b;
};

auto describe(Graph& g) {
  auto n =
      g.source(8, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
  auto less = [](auto x) { return x - 1; };
  auto large = [](auto x) { return x > 3; };
  (void)less, (void)large;
#if CASE == 0
  return g.while_loop(n, large, less);
#elif CASE == 1
  return g.while_loop(n, less, less);
#elif CASE == 2
  return g.for_loop(3, n, [](auto, auto x) { return x * 0.5f; });
#elif CASE == 3
  return g.for_loop(2.5, n, [](auto, auto x) { return x; });
#elif CASE == 4
  return g.for_loop_collect(2.5f, n, [](auto, auto x) { return std::tuple{x, x}; });
#elif CASE == 5  // too little
  return g.while_loop(n, [] { return true; }, less);
#elif CASE == 6  // no callable
  return g.while_loop(n, n > 3, less);
#elif CASE == 7  // too much
  auto [a, b] = g.while_loop(
      std::tuple{n, n}, [](auto x, auto) { return x > 3; },
      [](auto x, auto y, auto) { return std::tuple{x, y}; });
  return a + b;
#elif CASE == 8  // no callable
  return g.while_loop(n, large, 3);
#elif CASE == 9  // the number of the iteration forgotten
  return g.for_loop(3, n, [](auto x) { return x + 1; });
#elif CASE == 10
  return g.for_loop(3, n, [](auto, auto x, auto) { return x + 1; });
#elif CASE == 11
  return g.while_loop(n, large, [](auto x) { (void)(x - 1); });
#elif CASE == 12
  return g.while_loop(n, [](auto x) { (void)(x > 3); }, less);
#elif CASE == 13
  return g.for_loop(3, n, [](auto, auto x) { (void)(x - 1); });
#elif CASE == 14
  auto [last, all] = g.for_loop_collect(3, n, [](auto, auto x) { return x; });
  return last;
#elif CASE == 15
  return g.for_loop_collect(3, n, [](auto, auto x) { return std::tuple{x, x, x}; });
#elif CASE == 16
  return g.for_loop_collect(3, n, [](auto, auto x) { return std::tuple{x * 0.5f, x}; });
#elif CASE == 17
  return g.for_loop_collect(3, n, [](auto, auto x) { (void)(x + 1); });
#elif CASE == 18
  return g.for_loop_collect(3, n, [](auto x) { return std::tuple{x, x}; });
#elif CASE == 19
  return g.while_loop(PartlyConstant{n, 1}, [](auto x) { return x.a > 3; }, [](auto x) { return x; }).a;
#elif CASE == 20
  return g.while_loop(n, large, [](auto x) { return std::tuple{x, x}; });
#elif CASE == 21  // a constant of another type than the body asks for
  return g.for_loop(3, n, [](auto, Value<float> x) { return x; });
#endif
}

int main() { (void)make_pipeline({}, describe); }
