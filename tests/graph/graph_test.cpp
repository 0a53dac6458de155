// Random numbers with invalid parameters.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace graph_test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();

struct Case {
  enum Kind { coin_flip, uniform, normal } kind;
  float a, b;
  std::string what;  // empty: it draws
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {Case::coin_flip, kNan, 0, "coin_flip: probability must lie between 0 and 1, not nan"},
      {Case::coin_flip, 1.5f, 0, "coin_flip: probability must lie between 0 and 1, not 1.5"},
      {Case::coin_flip, -0.5f, 0, "coin_flip: probability must lie between 0 and 1, not -0.5"},
      {Case::coin_flip, 1, 0, ""},
      {Case::uniform, kNan, 1, "uniform: lo must be a finite number, not nan"},
      {Case::uniform, 0, kInf, "uniform: hi must be a finite number, not inf"},
      {Case::uniform, 2, 1,
       "uniform: the range from 2 to 1 is empty; give the smaller number first"},
      {Case::uniform, -kMax, kMax,
       "uniform: the range from -3.4028235e+38 to 3.4028235e+38 is wider than a float can hold; "
       "give a smaller one"},
      {Case::uniform, 3, 3, ""},
      {Case::normal, kNan, 1, "normal: mean must be a finite number, not nan"},
      {Case::normal, 0, kInf, "normal: stddev must be a finite number, not inf"},
      {Case::normal, 0, -1, "normal: stddev must be at least 0, not -1"},
      {Case::normal, 5, 0, ""},
  };
  return all;
}

// The number drawn; a coin's is 1 for heads.
Value<float> drawn(Graph& g, const Case& c, const Param<float>& a, const Param<float>& b) {
  if (c.kind == Case::uniform) return g.uniform(a, b);
  if (c.kind == Case::normal) return g.normal(a, b);
  return g.map(
      "heads", [](bool heads) { return heads ? 1.f : 0.f; }, g.coin_flip(a));
}

TEST(Draws, ConstantsThatMakeNoSenseAreRefused) {
  for (const Case& c : cases()) {
    std::string what;
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        (void)indices(g, 4);
        return drawn(g, c, c.a, c.b);
      });
    } catch (const BuildError& error) {
      what = error.what();
    }
    EXPECT_EQ(what, c.what);
  }
}

TEST(Draws, OneConstantIsEnoughToBeRefused) {
  EXPECT_THROW((void)make_pipeline({},
                                   [](Graph& g) {
                                     auto x = g.map(
                                         "x", [](std::int64_t) { return 1.f; }, indices(g, 4));
                                     return g.uniform(kNan, x);
                                   }),
               BuildError);
}

TEST(Draws, ValuesThatMakeNoSenseAreTheErrorOfTheirSample) {
  for (const Case& c : cases()) {
    auto pipeline =
        make_pipeline({.batch_size = 4, .threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
          auto i = indices(g, 4);
          const auto odd_one = [&](float usual, float odd) {
            return g.map(
                "parameter", [usual, odd](std::int64_t x) { return x == 2 ? odd : usual; }, i);
          };
          return drawn(g, c, odd_one(1, c.a), odd_one(1, c.b));
        });
    const auto batch = pipeline.epoch().next();
    ASSERT_EQ(batch->errors().size(), c.what.empty() ? 0u : 1u) << c.what;
    if (c.what.empty()) {
      EXPECT_EQ(batch->get<0>()[2], c.a);
    } else {
      EXPECT_EQ(batch->errors()[0].id, 2);
      EXPECT_EQ(batch->errors()[0].what, c.what);
    }
  }
}

}  // namespace graph_test
}  // namespace sluice
