// Logic and conditions that the type system refuses.
//
// WANT 1: a Value is not a bool while the pipeline is described, so `if`, `?:`, `&&` and `||` cannot test it: use Graph::if_else or select, all_of, any_of
// TYPES 1: bool
// WANT 2: && would compute both sides for each sample: use Graph::all_of(left, [&] { return right; })
// WANT 3: || would compute both sides for each sample: use Graph::any_of(left, [&] { return right; })
// WANT 4: all_of: the left side must be a bool or a Value<bool>; compare a number first
// TYPES 4: sluice::Value<int>
// WANT 5: any_of: the right side must return a bool or a Value<bool>; compare a number first
// TYPES 5: sluice::Value<int>
// WANT 6: all_of: the right side must be a callable without parameters, so that it runs only where it is needed
// TYPES 6: sluice::Value<bool>
// WANT 7: any_of: the left side must be a bool or a Value<bool>; compare a number first
// WANT 8: a Value is not a bool while the pipeline is described, so `if`, `?:`, `&&` and `||` cannot test it
// WANT 9: all_of: the right side returns nothing
// WANT 10: && would compute both sides for each sample
// WANT 11: !: the value must be a bool or a number; for other types, make a bool with map
// WANT 12: all_of: the left side must be a bool or a Value<bool>; compare a number first
// WANT 13: !: the value must be a bool or a number; for other types, make a bool with map
// WANT 14: a Value is not a bool while the pipeline is described
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
  return yes ? n : n + 1;
#elif CASE == 9
  return g.all_of(yes, [&] { (void)!yes; });
#elif CASE == 10
  return n && true;
#elif CASE == 11
  return !list;
#elif CASE == 12
  return g.all_of(list, [&] { return yes; });
#elif CASE == 13
  return !g.constant(std::string("yes"));
#elif CASE == 14
  while (!yes) n = n + 1;
  return n;
#endif
}

int main() { (void)make_pipeline({}, describe); }
