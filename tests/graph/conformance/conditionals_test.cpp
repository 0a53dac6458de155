// If and else: C1 to C17 of docs/conformance.md.
#include "tests/graph/conformance/setup.h"

namespace sluice::conformance {
namespace conditionals_test {

TEST(Conditionals, C1_TwoResultsOfEachArm) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) {
        return g.if_else(
            n > 0,
            [&] {
              return std::tuple{-n, 0};
            },
            [&] {
              return std::tuple{0, n * 2};
            });
      },
      [](int n, At) {
        int a = 0, b = 0;
        if (n > 0) {
          a = -n;
        } else {
          b = 2 * n;
        }
        return std::tuple{a, b};
      });
}

struct Fields {
  Value<int> a;
  Value<int> b;
};

TEST(Conditionals, C2_AStructOfTwoValuesFromEachArm) {
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

TEST(Conditionals, C3_WithoutElseTheOthersPassThrough) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) { return g.apply_if(n > 0, n, [](auto x) { return -x; }); },
      [](int n, At) { return n > 0 ? -n : n; });
}

TEST(Conditionals, C4_WithoutElseAConstantInTheArm) {
  for_each_predicate(
      kNumbers, [](Graph& g, Value<int> n) { return g.apply_if(n > 0, n, [](auto) { return 3; }); },
      [](int n, At) { return n > 0 ? 3 : n; });
}

TEST(Conditionals, C5_AValueOfTheArmAlone) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) {
        return g.if_else(
            n > 0,
            [&] {
              auto b = g.constant(4);
              return b + 1;
            },
            [&] { return n; });
      },
      [](int n, At) { return n > 0 ? 5 : n; });
}

TEST(Conditionals, C6_AnArmWhoseWorkNobodyUsesChangesNothing) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) {
        return g.if_else(
            n > 0,
            [&] {
              (void)g.constant(4);
              return n;
            },
            [&] { return n; });
      },
      [](int n, At) { return n; });
}

TEST(Conditionals, C7_AResultThatOnlyTheArmsDefine) {
  expect_same(
      "i == 0",
      [](Graph& g) {
        auto i = given(g, [](At a) { return a.i; });
        return g.if_else(
            i == 0, [&] { return i - 1; }, [&] { return i + 1; });
      },
      [](At a) { return a.i == 0 ? a.i - 1 : a.i + 1; });
}

TEST(Conditionals, C8_OneArmMakesAValueTheOtherGivesOneFromOutside) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) {
        auto nothing = n * 0;
        return g.if_else(
            n >= 0, [&] { return n + 10; }, [&] { return nothing; });
      },
      [](int n, At) { return n >= 0 ? n + 10 : 0; });
}

TEST(Conditionals, C9_BothArmsMakeValues) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) {
        return g.if_else(
            n >= 0, [&] { return n + 10; }, [&] { return n - 10; });
      },
      [](int n, At) { return n >= 0 ? n + 10 : n - 10; });
}

TEST(Conditionals, C10_ElseIf) {
  for_each_predicate(
      kNumbers,
      [](Graph& g, Value<int> n) {
        return g.if_else(
            n == 0, [&] { return n + 10; },
            [&] {
              return g.if_else(
                  n > 0, [&] { return n + 100; }, [&] { return n - 50; });
            });
      },
      [](int n, At) {
        if (n == 0) return n + 10;
        if (n > 0) return n + 100;
        return n - 50;
      });
}

TEST(Conditionals, C11_AnArmWithoutAnyStep) {
  for_each_predicate(
      kBools,
      [](Graph& g, Value<bool> p) {
        auto base = g.constant(42);
        return g.apply_if(p, base, [](auto) { return 7; });
      },
      [](bool p, At) { return p ? 7 : 42; });
}

TEST(Conditionals, C12_ConstantsOnBothSides) {
  for_each_predicate(
      kBools, [](Graph& g, Value<bool> p) { return g.if_else(p, 6, 9); },
      [](bool p, At) { return p ? 6 : 9; });
}

TEST(Conditionals, C13_ConstantsInAThreeWayChain) {
  for_each_pair([](Graph& g, Value<bool> p,
                   Value<bool> q) { return g.if_else(p, 42, [&] { return g.if_else(q, 6, 9); }); },
                [](bool p, bool q, At) { return p   ? 42
                                                : q ? 6
                                                    : 9; });
}

TEST(Conditionals, C14_TheSecondReadsWhatTheFirstGave) {
  for (const bool constant_zero : {true, false}) {
    for_each_pair(
        [=](Graph& g, Value<bool> p, Value<bool> q) {
          auto data = given(g, [=](At a) { return constant_zero ? 0 : a.idx; });
          auto first = g.if_else(
              p, [&] { return data + 1; }, [&] { return data + 2; });
          auto second = g.if_else(
              q, [&] { return first + 3; }, [&] { return first + 4; });
          return std::tuple{first, second};
        },
        [=](bool p, bool q, At a) {
          const int first = (constant_zero ? 0 : a.idx) + (p ? 1 : 2);
          return std::tuple{first, first + (q ? 3 : 4)};
        });
  }
}

TEST(Conditionals, C15_TwoDeep) {
  for (const bool constant_zero : {true, false}) {
    for_each_pair(
        [=](Graph& g, Value<bool> p, Value<bool> q) {
          auto data = given(g, [=](At a) { return constant_zero ? 0 : a.idx; });
          return g.if_else(
              p,
              [&] {
                return g.if_else(
                    q, [&] { return data + 10; }, [&] { return data + 200; });
              },
              [&] { return data + 3000; });
        },
        [=](bool p, bool q, At a) {
          return (constant_zero ? 0 : a.idx) + (p ? (q ? 10 : 200) : 3000);
        });
  }
}

TEST(Conditionals, C16_AnInnerArmGivesAValueFromOutsideBoth) {
  for_each_pair(
      [](Graph& g, Value<bool> p, Value<bool> q) {
        auto data = given_idx(g);
        auto outside = data * -5;
        return g.if_else(
            p,
            [&] {
              return g.if_else(
                  q, [&] { return outside; }, [&] { return data + 200; });
            },
            [&] { return data + 3000; });
      },
      [](bool p, bool q, At a) { return p ? (q ? a.idx * -5 : a.idx + 200) : a.idx + 3000; });
}

// A chain of questions, each in the other arm of the one before.
Value<int> six_deep(Graph& g, Value<int> num, Value<int> data, int depth) {
  if (depth == 6) return data - 77;
  auto asked = depth == 5 ? num > 3 : num == depth - 2;
  return g.if_else(
      asked, [&] { return data * (depth + 2) + num; },
      [&] { return six_deep(g, num, data, depth + 1); });
}
int six_deep_plain(int num, int data, int depth) {
  if (depth == 6) return data - 77;
  const bool holds = depth == 5 ? num > 3 : num == depth - 2;
  return holds ? data * (depth + 2) + num : six_deep_plain(num, data, depth + 1);
}

TEST(Conditionals, C17_SixDeepWithMostLeavesEmpty) {
  for_each_predicate(
      kNumbers, [](Graph& g, Value<int> n) { return six_deep(g, n, given_idx(g), 0); },
      [](int n, At a) { return six_deep_plain(n, a.idx, 0); });
  expect_same(
      "every leaf", [](Graph& g) { return six_deep(g, given_idx(g) % 8 - 2, given_idx(g), 0); },
      [](At a) { return six_deep_plain(a.idx % 8 - 2, a.idx, 0); });
}

}  // namespace conditionals_test
}  // namespace sluice::conformance
