// Structures that branches return: C2 and S1 to S4 of tests/conformance.md. Structures that do not
// agree are in tests/graph/compile_fail and tests/graph/wrong_programs_test.cpp.
#include "tests/graph/conformance/setup.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sluice::conformance {
namespace structures_test {

using Labeled = std::tuple<Value<std::string>, Value<int>>;
using Operator = std::function<Labeled(Value<std::string>, Value<int>)>;

constexpr int kOperators = 7;

// Chooses an operator by halving the list. Each returns an image (here a text) and a label.
Labeled choose(Graph& g, Value<int> index, const std::vector<Operator>& ops, std::size_t begin,
               std::size_t end, const Labeled& in) {
  if (end - begin == 1) return ops[begin](std::get<0>(in), std::get<1>(in));
  const std::size_t middle = (begin + end) / 2;
  return g.if_else(
      index < middle, [&] { return choose(g, index, ops, begin, middle, in); },
      [&] { return choose(g, index, ops, middle, end, in); });
}

TEST(Structures, S1_RecursiveChoiceOfOperatorsThatGiveTuples) {
  expect_same(
      "seven operators",
      [](Graph& g) {
        auto n = given_idx(g);
        auto text = g.map(
            "text", [](int x) { return std::to_string(x); }, n);
        std::vector<Operator> ops;
        for (int o = 0; o < kOperators; ++o) {
          ops.emplace_back([&g, o](Value<std::string> image, Value<int> label) {
            auto changed = g.map(
                "operator", [](const std::string& t, int k) { return t + "#" + std::to_string(k); },
                image, o);
            return Labeled{changed, label + o * 100};
          });
        }
        const Labeled in{text, n};
        const Labeled whole = choose(g, n % kOperators, ops, 0, ops.size(), in);
        auto [image, label] = choose(g, n % kOperators, ops, 0, ops.size(), whole);
        // The same as one select between all of them.
        std::vector<std::function<Labeled()>> branches;
        for (const Operator& op : ops)
          branches.emplace_back([&op, &in] { return op(std::get<0>(in), std::get<1>(in)); });
        auto [direct, direct_label] = g.select(n % kOperators, branches);
        return std::tuple{image,  label,       std::get<0>(whole), std::get<1>(whole),
                          direct, direct_label};
      },
      [](At a) {
        const int o = a.idx % kOperators;
        const std::string once = std::to_string(a.idx) + "#" + std::to_string(o);
        return std::tuple{once + "#" + std::to_string(o),
                          a.idx + o * 200,
                          once,
                          a.idx + o * 100,
                          once,
                          a.idx + o * 100};
      });
}

struct Fields {
  Value<int> a;
  Value<int> b;
};

TEST(Structures, C2_AStructOfTwoValuesFromEachBranch) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) {
        const Fields fields = g.if_else(
            n > 0,
            [&] {
              return Fields{-n, g.constant(0)};
            },
            [&] {
              return Fields{g.constant(0), n * 2};
            });
        return std::tuple{fields.a, fields.b};
      },
      [](int n, At) {
        return n > 0 ? std::tuple{-n, 0} : std::tuple{0, 2 * n};
      });
}

struct Named {
  Value<int> out;
};

TEST(Structures, S2_MapsAndNamedFields) {
  expect_same(
      "i % 2",
      [](Graph& g) {
        auto odd = given(g, [](At a) { return a.i % 2 == 1; });
        using Map = std::map<std::string, Value<int>>;
        auto map = g.if_else(
            odd,
            [&] {
              return Map{{"out", g.constant(1)}};
            },
            [&] {
              return Map{{"out", g.constant(2)}};
            });
        auto named = g.if_else(
            odd, [&] { return Named{g.constant(20) * 2 + 1}; },
            [&] { return Named{g.constant(40) + 3}; });
        return std::tuple{map.at("out"), named.out};
      },
      [](At a) {
        return a.i % 2 == 1 ? std::tuple{1, 41} : std::tuple{2, 43};
      });
}

TEST(Structures, S3_TuplesOfValuesAndConstants) {
  for_each_predicate(
      kBools,
      [](Graph& g, Value<bool> p) {
        auto data = g.constant(42);
        return g.if_else(
            p,
            [&] {
              return std::tuple{data, data + 10, data + 20};
            },
            [&] {
              return std::tuple{-10, data, data * 2};
            });
      },
      [](bool p, At) {
        return p ? std::tuple{42, 52, 62} : std::tuple{-10, 42, 84};
      });
}

struct Inner {
  Value<int> x;
  std::vector<Value<int>> list;
};
struct Outer {
  Inner inner;
  std::array<Value<int>, 2> pair;
  std::map<int, Value<int>> table;
};

// Nested structures pass through branches and loops alike.
TEST(Structures, S4_NestedStructuresThatAgree) {
  expect_same(
      "nested",
      [](Graph& g) {
        auto n = given_idx(g);
        auto make = [&](int k) {
          return Outer{{n + k, {n, n * k, g.constant(k)}}, {n - k, n}, {{1, n}, {7, n + 2 * k}}};
        };
        const Outer chosen = g.if_else(
            n % 3 == 0, [&] { return make(5); }, [&] { return make(9); });
        const Outer looped = g.for_loop(n % 4, chosen, [](auto, const Outer& o) {
          Outer next = o;
          next.inner.x = o.inner.x + o.table.at(7);
          next.inner.list = {o.inner.list[1], o.inner.list[2], o.inner.list[0]};
          return next;
        });
        return std::tuple{looped.inner.x,       looped.inner.list[0], looped.inner.list[2],
                          looped.pair[0],       looped.table.at(1),   looped.table.at(7),
                          chosen.inner.list[1], chosen.pair[1]};
      },
      [](At a) {
        const int n = a.idx, k = n % 3 == 0 ? 5 : 9, turns = n % 4;
        const std::array<int, 3> list{n, n * k, k};
        return std::tuple{n + k + turns * (n + 2 * k),
                          list[static_cast<std::size_t>(turns % 3)],
                          list[static_cast<std::size_t>((turns + 2) % 3)],
                          n - k,
                          n,
                          n + 2 * k,
                          n * k,
                          n};
      });
}

}  // namespace structures_test
}  // namespace sluice::conformance
