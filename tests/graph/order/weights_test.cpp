#include "chi_square.h"
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace weights_test {

std::vector<double> drawn(const Weights& weights, int draws) {
  std::vector<double> counts(static_cast<std::size_t>(weights.size()));
  for (int i = 0; i < draws; ++i) {
    Random random({.seed = 6, .sample = static_cast<std::uint64_t>(i)});
    ++counts.at(static_cast<std::size_t>(weights.draw(random)));
  }
  return counts;
}

TEST(Weights, AreDrawnInProportion) {
  std::vector<double> linear, steep, many(1000, 1.0);
  for (int i = 0; i < 100; ++i) linear.push_back(i);
  for (int i = 0; i < 12; ++i) steep.push_back(std::ldexp(1.0, -i));
  for (std::size_t i = 0; i < many.size(); i += 7) many[i] = 5;
  const std::vector<double> cases[] = {{3},
                                       {1, 1},
                                       {1, 3},
                                       {0, 1, 0, 2, 0},
                                       {0.1, 0.2, 0.3, 0.4},
                                       {1e308, 1e308, 5e307},
                                       {4e-320, 1e-320, 5e-320},
                                       {1e-300, 1, 1e300},
                                       linear,
                                       steep,
                                       many};
  for (const std::vector<double>& weights : cases) {
    double largest = 0, sum = 0;
    for (const double weight : weights) largest = std::max(largest, weight);
    for (const double weight : weights) sum += weight / largest;
    constexpr int kDraws = 200'000;
    std::vector<double> expected;
    std::size_t possible = 0;
    for (const double weight : weights) {
      expected.push_back(kDraws * (weight / largest / sum));
      possible += expected.back() > 1e-9 ? 1 : 0;
    }
    const std::vector<double> counts = drawn(weights, kDraws);
    // Items with a weight of 0, or next to nothing, are never drawn.
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (expected[i] <= 1e-9) {
        EXPECT_EQ(counts[i], 0) << i << " of " << weights.size();
      }
    }
    if (possible > 1) {
      EXPECT_LT(chi_square(counts, expected), chi_square_limit(possible - 1)) << weights.size();
    }
  }
}

TEST(Weights, AreEqualWhereTheirProportionsAre) {
  const Weights weights = {1, 2, 0.5};
  EXPECT_EQ(weights, (Weights{2, 4, 1}));
  EXPECT_EQ(weights.hash(), (Weights{2, 4, 1}).hash());
  for (const Weights& other : {Weights{1, 2, 0.25}, Weights{2, 1, 0.5}, Weights{1, 2}, Weights{}}) {
    EXPECT_FALSE(weights == other);
    EXPECT_NE(weights.hash(), other.hash());
  }
  EXPECT_EQ(Weights(), Weights());
  EXPECT_TRUE(Weights().empty());
  EXPECT_EQ(Weights().size(), 0);
  EXPECT_EQ(weights.size(), 3);
}

// Checkpoints rely on these draws: they must be the same in every version and on every machine.
TEST(Weights, StayAsTheyAre) {
  const Weights weights = {0.1, 0.7, 0, 1.0 / 3, 5};
  Random random({.seed = 42});
  std::vector<std::int64_t> first;
  for (int i = 0; i < 20; ++i) first.push_back(weights.draw(random));
  EXPECT_EQ(first, (std::vector<std::int64_t>{4, 4, 1, 1, 4, 4, 4, 1, 1, 4,
                                              1, 4, 4, 4, 4, 4, 1, 4, 1, 4}));
}

std::string error_of(const std::vector<double>& weights) {
  try {
    (void)Weights(weights);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Weights, SayWhichOneCannotBe) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string are = "; weights are finite numbers from 0 on";
  EXPECT_EQ(error_of({1, -0.5, 2}), "weight 1 of 3 is -0.5" + are);
  EXPECT_EQ(error_of({1, 2, std::nan("")}), "weight 2 of 3 is nan" + are);
  EXPECT_EQ(error_of({infinity}), "weight 0 of 1 is inf" + are);
  EXPECT_EQ(error_of({1, -infinity}), "weight 1 of 2 is -inf" + are);
  EXPECT_EQ(error_of({0, 0, -0.0}),
            "all 3 weights are 0, so there is nothing to draw; one must be above 0");
  EXPECT_EQ(error_of({}), "there are no weights; give one for each sample");
  EXPECT_EQ(error_of({0, 1e-320}), "no error");
}

}  // namespace weights_test
}  // namespace sluice
