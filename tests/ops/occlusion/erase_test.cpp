// erase, random_erasing and coarse_dropout in pipelines.
#include "tests/io/images.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/arithmetic.h>
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

using testing::constant_image;

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

TEST(CoarseDropoutOperator, IsTheSameOnAnyNumberOfThreads) {
  const auto describe = [](Value<Image> x) {
    return coarse_dropout(
        x, {.holes = 3, .height = 0.2f, .width = 5.f / 40, .normalized = true, .fill = {1, 2, 3}});
  };
  const std::vector<Image> first = results(1, 20, describe);
  EXPECT_EQ(first, results(3, 20, describe));
  const Image in = drawn();
  for (std::size_t i = 0; i < first.size(); ++i) {
    int erased = 0;  // at least one hole, at most three
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x)
        erased +=
            first[i].at(y, x, 0) == 1 && first[i].at(y, x, 1) == 2 && first[i].at(y, x, 2) == 3;
    }
    EXPECT_GE(erased, 6 * 5);
    EXPECT_LE(erased, 3 * 6 * 5);
    if (i > 0) {
      EXPECT_NE(first[i], first[0]);
    }
  }
}

TEST(CoarseDropoutOperator, TakesTheNumbersOfEachSample) {
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    auto i =
        g.source(4, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
    auto image = g.map(
        "image", [](int) { return constant_image(9, 7, 1, 50); }, i);
    return coarse_dropout(image, {.holes = i - 1, .height = 2.f, .width = 3.f});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what, "coarse_dropout: holes must lie between 0 and 1000, not -1");
  int erased[3] = {};
  for (std::size_t k = 0; k < 3; ++k) {
    const Image& out = batch->get<0>()[k];
    for (int y = 0; y < 9; ++y) {
      for (int x = 0; x < 7; ++x) erased[k] += out.at(y, x, 0) == 0;
    }
  }
  EXPECT_EQ(erased[0], 0);
  EXPECT_EQ(erased[1], 6);
  EXPECT_GE(erased[2], 6);
  EXPECT_LE(erased[2], 12);
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
