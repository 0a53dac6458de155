// erase and random_erasing in pipelines.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/occlusion.h>
#include <sluice/runtime/error.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace occlusion_erase_test {

Image drawn() { return draw_image(30, 40, 3, 5); }

std::vector<Image> results(int threads, int samples,
                           const std::function<Value<Image>(Value<Image>)>& describe) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 7, .threads = threads}, [&](Graph& g) {
    return describe(g.source(samples, [](const SampleInfo&) { return drawn(); }));
  });
  std::vector<Image> all;
  auto epoch = pipeline.epoch();
  while (auto batch = epoch.next())
    for (std::size_t k = 0; k < batch->size(); ++k) all.push_back(batch->get<0>()[k].clone());
  return all;
}

TEST(EraseOperator, DoesWhatTheKernelDoes) {
  Image expected;
  kernels::erase(drawn(), {5, 6, 7, 8}, {1, 2, 3}, expected);
  EXPECT_EQ(results(1, 1,
                    [](Value<Image> x) {
                      return erase(x, Rectangle{5, 6, 7, 8}, {.fill = {1, 2, 3}});
                    })
                .at(0),
            expected);
  EXPECT_EQ(results(1, 1,
                    [](Value<Image> x) {
                      return erase(x, {.y = 5, .x = 6, .height = 7, .width = 8, .fill = {1, 2, 3}});
                    })
                .at(0),
            expected);
  kernels::erase(drawn(), {5, 10, 20, 20}, 0, expected);
  EXPECT_EQ(results(1, 1,
                    [](Value<Image> x) {
                      return erase(x, {.y = 0.5f,
                                       .x = 0.5f,
                                       .height = 2.f / 3,
                                       .width = 0.5f,
                                       .normalized = true,
                                       .centered = true});
                    })
                .at(0),
            expected);
}

TEST(EraseOperator, RandomErasingIsTheSameOnAnyNumberOfThreads) {
  const auto describe = [](Value<Image> x) {
    return random_erasing(x, {.probability = 0.5f, .fill = 9});
  };
  const std::vector<Image> first = results(1, 40, describe);
  EXPECT_EQ(first, results(3, 40, describe));
  const Image in = drawn();
  int erased = 0;
  for (const Image& out : first) erased += out == in ? 0 : 1;
  EXPECT_GT(erased, 8);
  EXPECT_LT(erased, 32);
}

TEST(EraseOperator, RefusesRangesThatAreUpsideDown) {
  const auto refusal_of = [](const RandomErasingOptions& options) -> std::string {
    try {
      (void)results(1, 1, [&](Value<Image> x) { return random_erasing(x, options); });
    } catch (const BuildError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal_of({.min_area = 0.5f}),
            "random_erasing_region: min_area is 0.500000, which is more than max_area, 0.330000");
  EXPECT_EQ(refusal_of({.max_ratio = 0.2f}),
            "random_erasing_region: min_ratio is 0.300000, which is more than max_ratio, 0.200000");
  EXPECT_NE(refusal_of({.probability = 1.5f}), "");
}

}  // namespace occlusion_erase_test
}  // namespace sluice
