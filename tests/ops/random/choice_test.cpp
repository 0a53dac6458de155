// How often numbers are drawn, by fixed seeds; and what is refused.
#include "tests/error_of.h"
#include <sluice/ops/kernels/choice.h>
#include <sluice/sluice.h>

#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

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

TEST(Choice, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 400, .seed = 5}, [](Graph& g) {
    auto index = g.source(400, [](const SampleInfo& info) { return info.index_in_epoch; });
    return std::tuple{index, choice(g, {0.5f, 2.f}), choice(g, {1.f, 2.f, 3.f}, {0, 1, 0}),
                      choice_index(g, {1, 1, 2}), beta(g, 0.5f, 2.f)};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 400u);
  std::map<float, int> numbers;
  std::map<int, int> places;
  double mean = 0;
  for (std::size_t k = 0; k < 400; ++k) {
    ++numbers[batch->get<1>()[k]];
    EXPECT_EQ(batch->get<2>()[k], 2.f);
    ++places[batch->get<3>()[k]];
    mean += static_cast<double>(batch->get<4>()[k]) / 400;
  }
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_NEAR(numbers[0.5f], 200, 60);  // 6 standard deviations
  EXPECT_EQ(places.size(), 3u);
  EXPECT_NEAR(places[2], 200, 60);
  EXPECT_NEAR(mean, 0.2, 0.065);  // the standard deviation is 0.21
}

TEST(Choice, GraphsRefuseWhatCannotBe) {
  const auto told = [](auto describe) {
    return error_of<BuildError>(
        [&] { (void)make_pipeline({}, [&](Graph& g) { return describe(g); }); });
  };
  EXPECT_EQ(told([](Graph& g) {
              return choice(g, {1.f, 2.f}, {1.f});
            }),
            "choice: there are 2 numbers and 1 weights; give one for each, or none");
  EXPECT_NE(told([](Graph& g) { return choice(g, {}); }).find("there are 0 choices"),
            std::string::npos);
  EXPECT_NE(told([](Graph& g) {
              return choice_index(g, {0, 0});
            }).find("all weights are 0"),
            std::string::npos);
  EXPECT_NE(told([](Graph& g) { return beta(g, 0.f, 1.f); }).find("beta: alpha must"),
            std::string::npos);
}

}  // namespace
}  // namespace sluice
