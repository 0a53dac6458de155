// Explicit boundaries that the type system refuses.
//
// WANT 1: the condition must be a Value<bool>; compare a number first
// WANT 2: the condition must be a Value<bool>; compare a number first
// WANT 3: both must be Values of the same type
// WANT 4: the condition must be a Value<bool>; compare a number first
// WANT 5: the count must be an integer, or a Value of one
// WANT 6: the length must be an integer, or a Value of one
// WANT 7: no matching
// WANT 8: set_next: the next value must be a Value of the type that the recurrence begins with
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>

#include <vector>

using namespace sluice;

auto describe(Graph& g) {
  auto n =
      g.source(8, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
  auto list = g.constant(std::vector<bool>{true});
  (void)list;
  auto cond = g.add_conditional();
  auto loop = g.add_loop();
  auto carried = loop.add_recurrence(n);
  carried.set_next(carried.value() + 1);
#if CASE == 0
  cond.set_condition(n > 3);
  loop.add_trip_limit(3);
  return cond.add_output(loop.add_output(carried), n);
#elif CASE == 1
  cond.set_condition(n);
#elif CASE == 2
  cond.set_condition(list);
#elif CASE == 3
  return cond.add_output(n, cast<float>(n));
#elif CASE == 4
  loop.add_while(carried.value());
#elif CASE == 5
  loop.add_trip_limit(2.5);
#elif CASE == 6
  (void)loop.add_output(n, 2.5);
#elif CASE == 7  // a last value is of a recurrence
  (void)loop.add_output(n);
#elif CASE == 8  // another type of value than the first one
  carried.set_next(cast<float>(n));
#endif
  return n;
}

int main() { (void)make_pipeline({}, describe); }
