// Beta and Dirichlet numbers, and a choice by weights.
#include "tests/error_of.h"
#include <sluice/ops/kernels/draws.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace dirichlet_test {

using kernels::beta;
using kernels::dirichlet;

// Returns the difference of a sample from a distribution, as Kolmogorov and Smirnov measure it,
// times the root of its size. It exceeds 1.95 once in a thousand.
template <class Cdf>
double distance(std::vector<double> sample, const Cdf& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double most = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double at = cdf(sample[i]), rank = static_cast<double>(i) / n;
    most = std::max({most, std::abs(at - rank), std::abs(at - rank - 1 / n)});
  }
  return most * std::sqrt(n);
}

std::vector<double> betas(double a, double b) {
  Random random({.seed = 7, .sample = static_cast<std::uint64_t>(100 * a + b)});
  std::vector<double> sample(20000);
  for (double& x : sample) x = beta(random, a, b);
  return sample;
}

TEST(Beta, HasTheDistributionFunctionWhereThatIsPlain) {
  EXPECT_LT(distance(betas(1, 1), [](double x) { return x; }), 1.95);
  EXPECT_LT(distance(betas(2, 2), [](double x) { return x * x * (3 - 2 * x); }), 1.95);
  EXPECT_LT(distance(betas(3, 1), [](double x) { return x * x * x; }), 1.95);
  EXPECT_LT(distance(betas(1, 4), [](double x) { return 1 - std::pow(1 - x, 4); }), 1.95);
  const double half_turn = std::acos(-1.0) / 2;
  EXPECT_LT(
      distance(betas(0.5, 0.5), [&](double x) { return std::asin(std::sqrt(x)) / half_turn; }),
      1.95);
  EXPECT_LT(distance(betas(0.2, 1), [](double x) { return std::pow(x, 0.2); }), 1.95);
}

TEST(Beta, HasItsMeanAndVariance) {
  for (const double alpha : {0.1, 0.2, 0.4, 1.0, 5.0, 1000.0}) {
    for (const double other : {0.1, 1.0, 30.0}) {
      const std::vector<double> sample = betas(alpha, other);
      const auto n = static_cast<double>(sample.size());
      const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / n;
      const double all = alpha + other, expected = alpha / all;
      const double variance = alpha * other / (all * all * (all + 1));
      EXPECT_NEAR(mean, expected, 4 * std::sqrt(variance / n)) << alpha << " " << other;
      double squares = 0;
      for (const double x : sample) squares += (x - expected) * (x - expected);
      EXPECT_NEAR(squares / n, variance, 0.1 * variance) << alpha << " " << other;
    }
  }
}

// One share of several is a Beta(alpha, (n - 1) * alpha).
TEST(Dirichlet, SharesAddUpToOneAndAreBetas) {
  Random random({.seed = 3});
  for (const std::size_t count : {1u, 2u, 3u, 5u}) {
    std::vector<std::vector<double>> shares(count);
    std::vector<double> out(count);
    for (int i = 0; i < 20000; ++i) {
      dirichlet(random, 1, out);
      EXPECT_NEAR(std::accumulate(out.begin(), out.end(), 0.0), 1, 1e-12);
      for (std::size_t k = 0; k < count; ++k) shares[k].push_back(out[k]);
    }
    for (std::size_t k = 0; count > 1 && k < count; ++k) {
      const auto others = static_cast<double>(count - 1);
      EXPECT_LT(distance(shares[k], [&](double x) { return 1 - std::pow(1 - x, others); }), 1.95)
          << k << " of " << count;
    }
  }
}

TEST(Dirichlet, TheSmallestAlphasGiveNumbers) {
  Random random({.seed = 3});
  std::vector<double> out(4);
  for (int i = 0; i < 1000; ++i) {
    dirichlet(random, 1e-6, out);
    EXPECT_NEAR(std::accumulate(out.begin(), out.end(), 0.0), 1, 1e-12);
    const double x = beta(random, 1e-6, 1e-6);
    EXPECT_TRUE(x >= 0 && x <= 1);
  }
}

TEST(Dirichlet, FollowsFromItsKey) {
  std::vector<double> a(3), b(3), c(3);
  Random one({.seed = 3, .sample = 9}), same({.seed = 3, .sample = 9}), other({.seed = 4});
  dirichlet(one, 0.5, a);
  dirichlet(same, 0.5, b);
  dirichlet(other, 0.5, c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST(Dirichlet, RefusesWhatCannotBe) {
  Random random({.seed = 3});
  std::vector<double> out(3);
  for (const double alpha : {0.0, -1.0, 1e-7, 1001.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(dirichlet(random, alpha, out), std::invalid_argument) << alpha;
    EXPECT_THROW(beta(random, alpha, 1), std::invalid_argument) << alpha;
    EXPECT_THROW(beta(random, 1, alpha), std::invalid_argument) << alpha;
  }
  out.clear();
  EXPECT_THROW(dirichlet(random, 1, out), std::invalid_argument);
}

}  // namespace dirichlet_test

namespace kernels_choice_test {

TEST(NamedValue, IsAsProbableAsItsWeight) {
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

TEST(NamedValue, RefusesWhatCannotBeDrawn) {
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
