// Exceptions while a pipeline is described reach the caller and do no harm, wherever they are
// thrown: the builder can still be used, and destroyed.
#include "tests/failing_allocations.h"
#include "tests/graph/sources.h"
#include "tests/tried.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace describing_test {

// A key of a map whose copy number `fatal` throws.
struct Fragile {
  int number = 0;
  static inline int copies = 0, fatal = 0;
  explicit Fragile(int n) : number(n) {}
  Fragile(const Fragile& other) : number(other.number) {
    if (++copies == fatal) throw std::runtime_error("a key that does not copy");
  }
  Fragile& operator=(const Fragile&) = default;  // not used; libc++ wants it for maps
  ~Fragile() = default;
  bool operator<(const Fragile& other) const { return number < other.number; }
};
using FragileMap = std::map<Fragile, Value<std::int64_t>>;

FragileMap fragile(Value<std::int64_t> x) {
  FragileMap all;
  all.emplace(1, x);
  all.emplace(2, x);
  return all;
}

Value<std::int64_t> choose(Graph& g, Value<std::int64_t> x) {
  return g
      .if_else(
          x > 3, [&] { return fragile(x); }, [&] { return fragile(x + 1); })
      .begin()
      ->second;
}
Value<std::int64_t> select(Graph& g, Value<std::int64_t> x) {
  const auto branch = [x] { return fragile(x); };
  return g.select(x % 2, std::vector{branch, branch}).begin()->second;
}
Value<std::int64_t> loop(Graph& g, Value<std::int64_t> x) {
  return g.for_loop(2, fragile(x), [](auto, const FragileMap& state) { return state; })
      .begin()
      ->second;
}
Value<std::int64_t> nested(Graph& g, Value<std::int64_t> x) {
  return g.if_else(
      x > 1, [&] { return choose(g, x); }, [&] { return loop(g, x); });
}

// Each copy of a key fails once, and the rest of the description goes on after it.
void expect_unharmed(Value<std::int64_t> (*construct)(Graph&, Value<std::int64_t>)) {
  for (int fatal = 1;; ++fatal) {
    bool thrown = false;
    auto pipeline = make_pipeline({.batch_size = 8}, [&](Graph& g) {
      auto x = indices(g, 8);
      Fragile::copies = 0;
      Fragile::fatal = fatal;
      auto y = x;
      try {
        y = construct(g, x);
      } catch (const std::runtime_error&) {
        thrown = true;
      }
      Fragile::fatal = 0;
      return g.if_else(
          x > 3, [&] { return x * 2; }, [&] { return x; });
    });
    for (const auto& [values] : pipeline.epoch()) {
      EXPECT_EQ(values[2], 2);
      EXPECT_EQ(values[7], 14);
    }
    if (!thrown) {
      EXPECT_GT(fatal, 2) << "no copy was made";
      return;
    }
  }
}

TEST(Describing, ABranchWhoseStructureDoesNotCopy) {
  expect_unharmed(choose);
  expect_unharmed(select);
  expect_unharmed(loop);
  expect_unharmed(nested);
}

// One of everything that the builder writes down.
auto describe_all(Graph& g) {
  auto x = indices(g, 8);
  auto chosen = g.if_else(
      x > 3,
      [&] {
        return std::map<std::string, Value<std::int64_t>>{{"a long key for the heap", x * 2}};
      },
      [&] {
        return std::map<std::string, Value<std::int64_t>>{{"a long key for the heap", x}};
      },
      {.name = "a choice with a long name"});
  auto one_of = g.select(x % 3, std::vector<Value<std::int64_t>>{x, x + 1, x + 2});
  auto both = g.all_of(x > 1, [&] { return one_of < 5; });
  auto [count, last] = g.while_loop(
      std::tuple{0, x}, [](auto n, auto) { return n < 3; },
      [&](auto n, auto s) {
        return std::tuple{n + 1, g.if_else(
                                     both, [&] { return s + 1; }, s)};
      });
  auto [sum, list] = g.for_loop_collect(3, last,
                                        [](auto i, auto s) {
                                          return std::tuple{s + i, s};
                                        },
                                        {.reverse = true});
  auto seen = g.tap(
      "see", [](std::int64_t) {}, sum);
  g.filter(x >= 0);
  auto conditional = g.add_conditional("conditional");
  conditional.set_condition(seen > 4);
  auto inside = conditional.add_input(seen);
  auto picked = conditional.add_output(inside + 1, inside - 1);
  auto repeat = g.add_loop("repeat");
  auto carried = repeat.add_recurrence(picked);
  carried.set_next(carried.value() + repeat.add_iterator(list));
  repeat.add_trip_limit(2);
  auto rows = repeat.add_output(carried.value(), 4);
  return std::tuple{chosen.begin()->second, count, repeat.add_output(carried), rows,
                    g.uniform(0.5, 1.5)};
}

TEST(Describing, AnyAllocationMayFail) {
  std::uint64_t n = 1;
  for (;; ++n) {
    testing::tried("no-memory");
    bool threw = false;
    {
      detail::PlanBuilder builder;
      Graph g(builder);
      const testing::FailingAllocations failing(n);
      try {
        (void)describe_all(g);
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      ASSERT_EQ(threw, testing::FailingAllocations::reached()) << n;
    }
    if (!threw) break;
  }
  EXPECT_GT(n, 100u);
}

// The same, but the description goes on after the failure.
TEST(Describing, GoesOnAfterAnAllocationFailed) {
  for (std::uint64_t n = 1;; ++n) {
    bool reached = false;
    auto pipeline = make_pipeline({.batch_size = 8}, [&](Graph& g) {
      auto x = indices(g, 8);
      auto doubled = x * 2;
      {
        const testing::FailingAllocations failing(n);
        try {
          (void)nested(g, x);
        } catch (const std::bad_alloc&) {
        }
        reached = testing::FailingAllocations::reached();
      }
      return g.if_else(
          x > 3, [&] { return doubled; }, [&] { return x; });
    });
    for (const auto& [values] : pipeline.epoch()) {
      EXPECT_EQ(values[2], 2) << n;
      EXPECT_EQ(values[7], 14) << n;
    }
    if (!reached) return;
  }
}

// Each passes an empty function.
TEST(Describing, AnEmptyFunctionIsRefused) {
  using Number = std::int64_t;
  struct Case {
    const char* step;
    void (*describe)(Graph&, Value<Number>);
  };
  const Case cases[] = {
      {"source",
       [](Graph& g, Value<Number>) {
         (void)g.source(4, std::function<Number(const SampleInfo&)>());
       }},
      {"mine",
       [](Graph& g, Value<Number> x) { (void)g.map("mine", std::function<Number(Number)>(), x); }},
      {"pointer",
       [](Graph& g, Value<Number> x) {
         (void)g.map("pointer", static_cast<Number (*)(Number)>(nullptr), x);
       }},
      {"into",
       [](Graph& g, Value<Number> x) {
         (void)g.map_into<Number>("into", std::function<void(Number, Number&)>(), x);
       }},
      {"later",
       [](Graph& g, Value<Number> x) {
         (void)g.map_async<Number>("later", std::function<void(Completion<Number>, Number)>(), x);
       }},
      {"draw",
       [](Graph& g, Value<Number> x) {
         (void)g.random("draw", std::function<Number(Random&, Number)>(), x);
       }},
      {"look",
       [](Graph& g, Value<Number> x) { (void)g.tap("look", std::function<void(Number)>(), x); }},
  };
  for (const Case& c : cases) {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        const auto x = indices(g, 4);
        c.describe(g, x);
        return x;
      });
      ADD_FAILURE() << c.step << " is described";
    } catch (const BuildError& error) {
      EXPECT_EQ(error.what(), "'" + std::string(c.step) +
                                  "' is given an empty function; give one that can be called");
    }
  }
}

// A function of any argument receives a const SampleInfo&, as in the compile-time check.
TEST(Describing, ASourceMayTakeItsInfoByReference) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    return g.source(4, [](auto& info) { return info.index_in_epoch; });
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.get<0>()[3], 3);
}

}  // namespace describing_test
}  // namespace sluice
