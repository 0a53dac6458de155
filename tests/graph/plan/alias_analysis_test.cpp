// Aliases of values: through conditionals, pass-through steps, and loops.
#include "tests/graph/sources.h"
#include "tests/one_in.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace alias_analysis_test {

using Number = Value<std::int64_t>;

Number step(Graph& g, const char* name, Number x) {
  return g.map(
      name, [](std::int64_t v) { return v + 1; }, x);
}

struct Program {
  const char* name;
  std::function<Number(Graph&, Number)> describe;
  std::set<std::string> storages;  // the names of the result's possible storages
};

const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"a step", [](Graph& g, Number n) { return step(g, "a", n); }, {"a"}},
      {"a choice",
       [](Graph& g, Number n) {
         return g.if_else(
             n > 3, [&] { return step(g, "a", n); }, [&] { return step(g, "b", n); });
       },
       {"a", "b"}},
      {"a branch that gives what came in",
       [](Graph& g, Number n) {
         return g.apply_if(n > 3, step(g, "a", n), [&](auto x) { return step(g, "b", x); });
       },
       {"a", "b"}},
      {"a choice in a choice",
       [](Graph& g, Number n) {
         return g.if_else(
             n > 3,
             [&] {
               return g.select(
                   n, [&] { return step(g, "a", n); }, [&] { return n; });
             },
             [&] { return step(g, "b", n); });
       },
       {"a", "b", "source"}},
      {"a loop: what it begins with, what its body makes, what it keeps",
       [](Graph& g, Number n) {
         return g.for_loop(3, step(g, "a", n), [&](auto, auto x) { return step(g, "b", x); });
       },
       {"a", "b", "for_loop"}},
      {"values that change places",
       [](Graph& g, Number n) {
         return std::get<0>(
             g.for_loop(3, std::tuple{step(g, "a", n), step(g, "b", n)}, [&](auto, auto x, auto y) {
               return std::tuple{y, x};
             }));
       },
       {"a", "b", "for_loop"}},
  };
  return all;
}

TEST(AliasAnalysis, AreWhatAValueMayBe) {
  for (const Program& program : programs()) {
    detail::PlanBuilder builder;
    Graph g(builder);
    const Number result = program.describe(g, indices(g, 8));
    detail::AliasAnalysis storages(builder.plan());
    const std::vector<detail::SlotId>& found = storages.of(result.slot());
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end())) << program.name;
    std::set<std::string> names;
    for (const detail::SlotId slot : found) names.insert(builder.plan().slots[slot].name);
    EXPECT_EQ(names, program.storages) << program.name;
  }
}

// Generated programs may be long: this one would take minutes if each slot needed a search of the
// whole plan.
TEST(AliasAnalysis, OfALongProgramAreFoundInTime) {
  constexpr int kBranches = 20;
  const int kSelects = 3000 / testing::one_in(1, 6);
  using List = std::vector<std::int64_t>;
  auto pipeline = make_pipeline({.batch_size = 4}, [&](Graph& g) {
    auto n = indices(g, 4);
    auto list = g.map(
        "list", [](std::int64_t x) { return List{x}; }, n);
    for (int k = 0; k < kSelects; ++k) {
      const auto add = [&, from = list] {
        return g.map(
            "add", [](const List& x) { return List{x[0] + 1}; }, from);
      };
      list = g.select(n, std::vector(kBranches, std::function<Value<List>()>(add)));
    }
    return list;
  });
  for (const auto& [lists] : pipeline.epoch()) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      EXPECT_EQ(lists[i], List{static_cast<std::int64_t>(i) + kSelects});
    }
  }
}

}  // namespace alias_analysis_test
}  // namespace sluice
