// Branches, predicates and indices that the type system refuses.
//
// WANT 1: if_else: the branches 'then' and 'otherwise' return different types: both branches must return the same structure and types; convert numbers with cast<T>(value)
// TYPES 1: sluice::Value<int>, sluice::Value<float>
// WANT 2: if_else: the branches 'then' and 'otherwise' return different types
// TYPES 2: std::tuple<sluice::Value<int>, sluice::Value<int>>, std::tuple<sluice::Value<int>>
// WANT 3: if_else: the branches 'then' and 'otherwise' return different types
// TYPES 3: std::array<sluice::Value<int>, 2>
// WANT 4: select: a branch returns another type than the branches before it: all branches must return the same structure and types
// TYPES 4: sluice::Value<std::
// TYPES 4: sluice::Value<int>
// WANT 5: if_else: the predicate must be a bool or a number, or a Value of one
// TYPES 5: predicate_of_if_else<std::
// WANT 6: if_else: the predicate must be a bool or a number, or a Value of one
// TYPES 6: predicate_of_if_else<std::vector<int
// WANT 7: select: the index must be an integer, or a Value of one
// TYPES 7: index_of_select<float>
// WANT 8: select: give at least one branch
// WANT 9: filter: the predicate must be a bool or a number, or a Value of one
// WANT 10: if_else: the branch 'then' returns a struct with a constant in it, but a struct may hold only Values: declare the field as a Value, and make it with Graph::constant
// TYPES 10: PartlyConstant
// WANT 11: if_else: the branches 'then' and 'otherwise' return different types
// TYPES 11: Pair, std::tuple<sluice::Value<int>, sluice::Value<int>>
// WANT 12: if_else: the branch 'then' returns nothing: end it with `return` and its result
// TYPES 12: void
// WANT 13: if_else: the branch 'otherwise' returns nothing: end it with `return` and its result
// TYPES 13: void
// WANT 14: select: a branch returns nothing: end it with `return` and its result
// TYPES 14: void
// WANT 15: if_else: the branches 'then' and 'otherwise' return different types
// TYPES 15: sluice::Value<int>, double
// WANT 16: if_else: the branch 'otherwise' returns what is neither a Value nor a possible constant
// WANT 17: apply_if: the change cannot be called with the value
// TYPES 17: sluice::Value<int>
// WANT 18: apply_if: the change returns nothing
// WANT 19: apply_if: the change returns another type than it takes
// TYPES 19: sluice::Value<int>, sluice::Value<float>
// WANT 20: if_else: the branch 'otherwise' returns a struct with a constant in it
// WANT 21: if_else: the branch 'then' returns a pointer or view, but a constant must own its data
// WANT 22: if_else: the branches 'then' and 'otherwise' return different types
// TYPES 22: sluice::Value<bool>, int
// WANT 23: constant: a pointer or view is given, but a constant must own its data
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

using namespace sluice;

struct Pair {
  Value<int> a;
  Value<int> b;
};
struct PartlyConstant {
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
  return g.if_else(
      n > 3,
      [&] {
        return PartlyConstant{n, 1};
      },
      [&] {
        return PartlyConstant{n, 2};
      });
#elif CASE == 11  // another struct with the same fields is another structure
  return g.if_else(
      n > 3,
      [&] {
        return Pair{n, n};
      },
      [&] {
        return std::tuple{n, n};
      });
#elif CASE == 12  // the value of the whole is used, and that is no error of its own
  auto chosen = g.if_else(
      n > 3, [&] { (void)(n + 1); }, [&] { return n; });
  return chosen + 1;
#elif CASE == 13
  return g.if_else(
      n > 3, [&] { return n; }, [&] { (void)(n + 1); });
#elif CASE == 14
  return g.select(
      n, [&] { return n; }, [&] { (void)(n + 1); });
#elif CASE == 15  // no whole number is 0.5
  return g.if_else(n > 3, n, 0.5);
#elif CASE == 16  // a branch with a parameter
  return g.if_else(
      n > 3, [&] { return n; }, [&](int x) { return n + x; });
#elif CASE == 17
  return g.apply_if(n > 3, n, [&] { return n; });
#elif CASE == 18
  return g.apply_if(n > 3, n, [&](auto x) { (void)(x + 1); });
#elif CASE == 19
  return g.apply_if(n > 3, n, [&](auto x) { return cast<float>(x); });
#elif CASE == 20
  return g
      .if_else(
          n > 3, [&] { return std::vector<Pair>{Pair{n, n}}; },
          [&] { return std::vector<PartlyConstant>{PartlyConstant{n, 2}}; })[0]
      .a;
#elif CASE == 21
  static const int kNumber = 1;
  return g.if_else(
      n > 3, [&] { return &kNumber; }, [&] { return n; });
#elif CASE == 22
  return g.if_else(n > 3, n > 4, 1);
#elif CASE == 23
  (void)g.constant(std::string_view("text"));
  return n;
#endif
}

int main() { (void)make_pipeline({}, describe); }
