// Samples that never leave a loop are named, though none of their steps takes long.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace stall_test {

using Number = Value<std::int64_t>;
LoopOptions endless() { return {.max_iterations = INT64_MAX}; }

struct Case {
  const char* what;
  // `spin` returns a number that stays at least 0, and reports that the loop has begun.
  std::function<Number(Graph&, Number, const std::function<Number(Number)>& spin)> loop;
};

std::string text_of_stall(const Case& c) {
  std::atomic<bool> spinning{false};
  auto pipeline =
      make_pipeline({.batch_size = 2, .threads = 2, .stall_timeout = 0.05}, [&](Graph& g) {
        const auto spin = [&](Number x) {
          return g.map(
              "spin",
              [&](std::int64_t v) {
                spinning = true;
                spinning.notify_all();
                return v;
              },
              x);
        };
        auto i = indices(g, 4);
        // The first sample alone stays.
        return g.if_else(
            i == 0, [&] { return c.loop(g, i, spin); }, [&] { return i; });
      });
  auto run = pipeline.epoch();
  spinning.wait(false);
  std::string text = "no stall was seen";
  try {
    (void)run.next();
  } catch (const StallError& error) {
    text = error.what();
  }
  pipeline.cancel();
  EXPECT_FALSE(run.next().has_value());
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
  return text;
}

TEST(Stall, NamesTheSampleAndTheLoopThatDoesNotEnd) {
  const Case cases[] = {
      {"a body without steps",
       [](Graph& g, Number i, const auto& spin) {
         return g.while_loop(
             i, [&](auto x) { return spin(x) >= 0; }, [](auto x) { return x; }, endless());
       }},
      {"a quick body",
       [](Graph& g, Number i, const auto& spin) {
         return g.while_loop(
             i, [](auto x) { return x >= 0; }, [&](auto x) { return spin(x); }, endless());
       }},
      {"a body that chooses",
       [](Graph& g, Number i, const auto& spin) {
         return g.while_loop(
             i, [](auto x) { return x >= 0; },
             [&](auto x) {
               return g.if_else(
                   x > 0, [&] { return x; }, [&] { return spin(x); });
             },
             endless());
       }},
  };
  for (const Case& c : cases) {
    const std::string text = text_of_stall(c);
    EXPECT_NE(text.find(" sample 0 is in loop 'while_loop' (iteration "), std::string::npos)
        << c.what << ": " << text;
    EXPECT_NE(text.find(") since "), std::string::npos) << text;
    EXPECT_EQ(text.find("sample 1"), std::string::npos) << text;
  }
}

TEST(Stall, NamesTheLoopsAroundALoop) {
  const Case nested{"an endless loop of short ones", [](Graph& g, Number i, const auto& spin) {
                      return g.while_loop(
                          i, [](auto x) { return x >= 0; },
                          [&](auto x) {
                            return g.while_loop(
                                x, [](auto y) { return y >= 0; }, [&](auto y) { return spin(y); },
                                endless());
                          },
                          endless());
                    }};
  const std::string text = text_of_stall(nested);
  EXPECT_NE(text.find(" sample 0 is in loop 'while_loop' (iteration 0) since "), std::string::npos)
      << text;
  EXPECT_NE(text.find(", in loop 'while_loop#2' (iteration "), std::string::npos) << text;
}

}  // namespace stall_test
}  // namespace sluice
