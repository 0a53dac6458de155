// Noise in pipelines: each sample has its own, whatever the number of threads.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/noise.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace noise_noise_test {

using Describe = std::function<Value<Image>(Value<Image>)>;

std::vector<Image> results(int threads, const Describe& describe) {
  auto pipeline = make_pipeline({.batch_size = 4, .seed = 7, .threads = threads}, [&](Graph& g) {
    return describe(g.source(12, [](const SampleInfo&) { return draw_image(20, 30, 3, 5); }));
  });
  std::vector<Image> all;
  auto epoch = pipeline.epoch();
  while (auto batch = epoch.next())
    for (std::size_t k = 0; k < batch->size(); ++k) all.push_back(batch->get<0>()[k].clone());
  return all;
}

TEST(NoiseOperators, GiveEachSampleItsOwnOnAnyNumberOfThreads) {
  const std::pair<const char*, Describe> cases[] = {
      {"gaussian", [](Value<Image> x) { return gaussian_noise(x, {.stddev = 20.f}); }},
      {"iso", [](Value<Image> x) { return iso_noise(x); }},
      {"salt and pepper", [](Value<Image> x) { return salt_and_pepper_noise(x); }},
      {"shot", [](Value<Image> x) { return shot_noise(x, 5.f); }}};
  for (const auto& [name, describe] : cases) {
    SCOPED_TRACE(name);
    const std::vector<Image> first = results(1, describe);
    ASSERT_EQ(first.size(), 12u);
    EXPECT_EQ(first, results(3, describe));
    for (std::size_t i = 1; i < first.size(); ++i) EXPECT_FALSE(first[i] == first[i - 1]) << i;
  }
}

TEST(NoiseOperators, ASamplesNumberIsItsOwnError) {
  auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [](Graph& g) {
    auto number = g.source(
        3, [](const SampleInfo& info) { return static_cast<float>(info.index_in_epoch) - 1; });
    auto image = g.map(
        "image", [](float) { return draw_image(9, 7, 3, 5); }, number);
    return iso_noise(shot_noise(gaussian_noise(image, {.stddev = number}), number),
                     {.intensity = number});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 2u);
  EXPECT_EQ(batch->get<0>()[0], draw_image(9, 7, 3, 5));  // 0 is none
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what,
            "gaussian_noise: stddev must lie between 0 and 1000000, not -1");
}

}  // namespace noise_noise_test
}  // namespace sluice
