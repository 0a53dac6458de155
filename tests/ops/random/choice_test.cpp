// The frequencies of numbers that a graph draws with a fixed seed; and the arguments that are
// refused.
#include "tests/error_of.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/random.h>
#include <sluice/runtime/error.h>

#include <map>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace random_choice_test {

TEST(RandomChoice, InAGraph) {
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

TEST(RandomChoice, GraphsRefuseWhatCannotBe) {
  const auto told = [](auto describe) {
    return error_of<BuildError>(
        [&] { (void)make_pipeline({}, [&](Graph& g) { return describe(g); }); });
  };
  EXPECT_EQ(told([](Graph& g) {
              return choice(g, {1.f, 2.f}, {1.f});
            }),
            "choice: got 2 numbers and 1 weight; give one for each, or none");
  EXPECT_NE(told([](Graph& g) { return choice(g, {}); }).find("there are 0 choices"),
            std::string::npos);
  EXPECT_NE(told([](Graph& g) {
              return choice_index(g, {0, 0});
            }).find("all weights are 0"),
            std::string::npos);
  EXPECT_NE(told([](Graph& g) { return beta(g, 0.f, 1.f); }).find("beta: alpha must"),
            std::string::npos);
}

}  // namespace random_choice_test
}  // namespace sluice
