// Arms, predicates and indices that the type system refuses.
//
// WANT 1: both arms must return the same structure and types
// WANT 2: both arms must return the same structure and types
// WANT 3: both arms must return the same structure and types
// WANT 4: all arms must return the same structure and types
// WANT 5: the predicate must be a bool or a number, or a Value of one
// WANT 6: the predicate must be a bool or a number, or a Value of one
// WANT 7: select: the index must be an integer, or a Value of one
// WANT 8: select: give at least one arm
// WANT 9: filter: the predicate must be a bool or a number, or a Value of one
// WANT 10: make constants with Graph::constant
// WANT 11: both arms must return the same structure and types
// WANT 12: must return the step's value
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <string>
#include <tuple>
#include <vector>

using namespace sluice;

struct Pair {
  Value<int> a;
  Value<int> b;
};
struct Mixed {
  Value<int> a;
  int b;
};

auto describe(Graph& g) {
  auto n =
      g.source(8, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
  auto text = g.map(
      "text", [](int x) { return std::to_string(x); }, n);
  auto real = g.map(
      "real", [](int x) { return static_cast<float>(x); }, n);
  (void)text;
  (void)real;
#if CASE == 0
  return g.if_else(
      n, [&] { return n; }, [] { return 1; });
#elif CASE == 1  // int against float
  return g.if_else(
      n > 3, [&] { return n; }, [&] { return real; });
#elif CASE == 2  // one value against two
  return g.if_else(
      n > 3,
      [&] {
        return std::tuple{n, n};
      },
      [&] { return std::tuple{n}; });
#elif CASE == 3  // a tuple against an array of the same values
  return g.if_else(
      n > 3,
      [&] {
        return std::tuple{n, n};
      },
      [&] {
        return std::array{n, n};
      });
#elif CASE == 4
  return g.select(
      n, [&] { return n; }, [&] { return n; }, [&] { return text; });
#elif CASE == 5
  return g.if_else(
      text, [&] { return n; }, [&] { return n; });
#elif CASE == 6  // more than one element
  return g.if_else(
      g.constant(std::vector<int>{1}), [&] { return n; }, [&] { return n; });
#elif CASE == 7
  return g.select(
      real, [&] { return n; }, [&] { return n; });
#elif CASE == 8
  return g.select(n);
#elif CASE == 9
  g.filter(text);
  return n;
#elif CASE == 10
  return g
      .if_else(
          n > 3,
          [&] {
            return Mixed{n, 1};
          },
          [&] {
            return Mixed{n, 2};
          })
      .a;
#elif CASE == 11  // another struct with the same fields is another structure
  return g.if_else(
      n > 3,
      [&] {
        return Pair{n, n};
      },
      [&] {
        return std::tuple{n, n};
      });
#elif CASE == 12
  return g.map(
      "nothing", [](int) {}, n);
#endif
}

int main() { (void)make_pipeline({}, describe); }
