// Logic, loops and values that the type system refuses.
//
// WANT 1: use of deleted function
// WANT 2: use of deleted function
// WANT 3: use of deleted function
// WANT 4: the left side must be a bool or a Value<bool>; compare a number first
// WANT 5: the right side must give a bool or a Value<bool>; compare a number first
// WANT 6: the right side must be a callable, so that it runs only where it is needed
// WANT 7: the left side must be a bool or a Value<bool>; compare a number first
// WANT 8: the condition must give a Value<bool>, or a bool
// WANT 9: a loop's body must give the same structure and types as the state it begins with
// WANT 10: for_loop: the count must be an integer, or a Value of one
// WANT 11: !: the value must be a bool or a number; of anything else make a bool with map
// WANT 12: the left side must be a bool or a Value<bool>; compare a number first
// WANT 13: !: the value must be a bool or a number; of anything else make a bool with map
// WANT 14: for_loop: the count must be an integer, or a Value of one
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <string>
#include <tuple>
#include <vector>

using namespace sluice;

auto describe(Graph& g) {
  auto n =
      g.source(8, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
  auto yes = n > 3;
  auto list = g.constant(std::vector<bool>{true});
  (void)list;
#if CASE == 0
  return g.all_of(yes, [&] { return !yes; });
#elif CASE == 1  // a Value is no bool
  if (yes) return n;
  return n;
#elif CASE == 2
  return yes && yes;
#elif CASE == 3
  return yes || true;
#elif CASE == 4
  return g.all_of(n, [&] { return yes; });
#elif CASE == 5
  return g.any_of(yes, [&] { return n; });
#elif CASE == 6
  return g.all_of(yes, yes);
#elif CASE == 7
  return g.any_of(n, [&] { return yes; });
#elif CASE == 8
  return g.while_loop(
      n, [](auto x) { return x; }, [](auto x) { return x - 1; });
#elif CASE == 9
  return g.for_loop(3, n, [](auto, auto x) { return x * 0.5f; });
#elif CASE == 10
  return g.for_loop(2.5, n, [](auto, auto x) { return x; });
#elif CASE == 11
  return !list;
#elif CASE == 12
  return g.all_of(list, [&] { return yes; });
#elif CASE == 13
  return !g.constant(std::string("yes"));
#elif CASE == 14
  return g.for_loop_collect(2.5f, n, [](auto, auto x) { return std::tuple{x, x}; });
#endif
}

int main() { (void)make_pipeline({}, describe); }
