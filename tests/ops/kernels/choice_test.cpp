#include "tests/error_of.h"
#include <sluice/ops/kernels/choice.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_choice_test {

TEST(Choice, IsAsProbableAsItsWeight) {
  const std::vector<float> weights{1, 0, 3, 4, 0.5f, 1.5f, 0};
  Random random({.seed = 11});
  std::vector<int> counts(weights.size());
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i)
    ++counts[static_cast<std::size_t>(kernels::choice(random, weights))];
  double chi_square = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double expected = kDraws * static_cast<double>(weights[i]) / 10;
    if (expected == 0) {
      EXPECT_EQ(counts[i], 0);
    } else {
      chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
  }
  EXPECT_LT(chi_square, 18.5);  // of 4 degrees of freedom: one of 1000 is larger
  Random same({.seed = 11}), again({.seed = 11});
  EXPECT_EQ(kernels::choice(same, weights), kernels::choice(again, weights));
  EXPECT_EQ(kernels::choice(random, std::vector<float>{5}), 0);
}

TEST(Choice, RefusesWhatCannotBeDrawn) {
  const auto told = [](const std::vector<float>& weights) {
    return error_of<std::invalid_argument>([&] { kernels::check_choice(weights); });
  };
  EXPECT_EQ(told({}), "choice: there are 0 choices; 1 to 64 are possible");
  EXPECT_NE(told(std::vector<float>(65, 1.f)), "");
  EXPECT_EQ(told({1, -2}), "choice: a weight is -2; it must be finite and not below 0");
  EXPECT_NE(told({std::numeric_limits<float>::infinity()}), "");
  EXPECT_EQ(told({0, 0}), "choice: all weights are 0; one must be larger");
}

}  // namespace kernels_choice_test
}  // namespace sluice
