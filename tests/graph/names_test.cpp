// Conditionals and loops have names, which paths, errors, counts and drawings use.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace names_test {

// Every named construct, one after the other. Without `with_names`, the names are automatic.
auto describe(bool with_names) {
  return [with_names](Graph& g) {
    const auto name = [&](const char* text) { return with_names ? text : ""; };
    auto x = indices(g, 8);
    auto a = g.if_else(
        x > 3, [&] { return x; }, [&] { return x + 1; }, {.name = name("choice")});
    auto b = g.apply_if(x > 2, a, [](auto y) { return y * 2; }, {.name = name("change")});
    auto c = g.all_of(x > 1, [&] { return b > 4; }, {.name = name("both")});
    auto d = g.any_of(c, [&] { return b > 2; }, {.name = name("either")});
    auto e = g.while_loop(
        b, [](auto y) { return y > 3; }, [](auto y) { return y - 1; }, {.name = name("sink")});
    auto f = g.for_loop(2, e, [](auto, auto y) { return y + 1; }, {.name = name("rise")});
    auto [last, all] = g.for_loop_collect(2, f,
                                          [](auto, auto y) {
                                            return std::tuple{y + 1, y};
                                          },
                                          {.name = name("list")});
    auto h = last;
    auto s = g.select(
        x % 2, {.name = with_names ? "parity" : "select"}, [&] { return h; },
        [&] { return h + 1; });
    return std::tuple{s, d, all};
  };
}

std::vector<std::string> choices_and_loops(const Stats& stats) {
  std::vector<std::string> names;
  for (const auto& choice : stats.choices) names.push_back(choice.name);
  for (const auto& loop : stats.loops) names.push_back(loop.name);
  return names;
}

TEST(Names, AreInTheCounts) {
  EXPECT_EQ(choices_and_loops(make_pipeline({}, describe(true)).stats()),
            (std::vector<std::string>{"choice", "change", "both", "either", "parity", "sink",
                                      "rise", "list"}));
  EXPECT_EQ(choices_and_loops(make_pipeline({}, describe(false)).stats()),
            (std::vector<std::string>{"if_else", "if_else#2", "all_of", "any_of", "select",
                                      "while_loop", "for_loop", "for_loop#2"}));
}

TEST(Names, AreInThePathAndTheDrawing) {
  auto pipeline = make_pipeline({}, describe(true));
  const std::string path = pipeline.inspect(7).path();
  const std::string drawing = to_dot(pipeline.plan());
  const std::string text = to_string(pipeline.plan());
  for (const std::string name : {"choice", "change", "either", "sink", "rise", "list", "parity"}) {
    EXPECT_NE(drawing.find(name), std::string::npos) << name;
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
  for (const std::string branch :
       {"choice:then", "change:then", "both:right side", "either:decided"}) {
    EXPECT_NE(path.find(branch), std::string::npos) << branch << " in " << path;
  }
}

TEST(Names, AreInErrors) {
  try {
    (void)make_pipeline({}, [](Graph& g) {
      auto x = indices(g, 8);
      return g.if_else(
          x > 3, [&] { return std::vector{x}; },
          [&] {
            return std::vector{x, x};
          },
          {.name = "crop or not"})[0];
    });
    ADD_FAILURE() << "no error";
  } catch (const BuildError& error) {
    EXPECT_STREQ(error.what(),
                 "'crop or not': the branch 'otherwise', unlike 'then', gives another structure: a "
                 "vector of 2 values against one of 1; give both the same lengths and keys");
  }
}

TEST(Names, OneNameTwiceIsNumbered) {
  auto pipeline = make_pipeline({}, [](Graph& g) {
    auto x = indices(g, 8);
    auto y = g.if_else(
        x > 3, [&] { return x; }, [&] { return x + 1; }, {.name = "turn"});
    return g.if_else(
        y > 3, [&] { return y; }, [&] { return y + 1; }, {.name = "turn"});
  });
  EXPECT_EQ(choices_and_loops(pipeline.stats()), (std::vector<std::string>{"turn", "turn#2"}));
}

TEST(Names, OfALoopWithExplicitBoundaries) {
  auto pipeline = make_pipeline({}, [](Graph& g) {
    auto x = indices(g, 8);
    auto loop = g.add_loop("loop", {.name = "climb"});
    auto carried = loop.add_recurrence(x);
    carried.set_next(carried.value() + 1);
    loop.add_trip_limit(3);
    return loop.add_output(carried);
  });
  EXPECT_EQ(choices_and_loops(pipeline.stats()), (std::vector<std::string>{"climb"}));
}

}  // namespace names_test
}  // namespace sluice
