// filter_2d in a pipeline, and the windows that it refuses.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/runtime/error.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace filter_filter_2d_test {

auto pipeline_of(const FilterRows& weights) {
  return make_pipeline({.batch_size = 1}, [&](Graph& g) {
    return filter_2d(g.source(1, [](const SampleInfo&) { return draw_image(9, 7, 3, 5); }),
                     weights);
  });
}

std::string refusal_of(const FilterRows& weights) {
  try {
    (void)pipeline_of(weights);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

TEST(Filter2dOperator, DoesWhatTheKernelDoes) {
  Image expected;
  kernels::filter_2d(draw_image(9, 7, 3, 5),
                     {.rows = 1, .columns = 3, .weights = {0.25f, 0.5f, -0.5f}}, expected);
  auto pipeline = pipeline_of({{0.25f, 0.5f, -0.5f}});
  EXPECT_EQ(pipeline.epoch().next()->get<0>()[0], expected);
}

TEST(Filter2dOperator, RefusesWindowsWhenTheGraphIsBuilt) {
  const std::string told = "filter_2d: the weights must be at most 7 rows of one length, at most 7";
  EXPECT_EQ(refusal_of({{1, 2, 3}, {1, 2}, {1, 2, 3}}), told);
  EXPECT_EQ(refusal_of(FilterRows(9, std::vector<float>(1))), told);
  EXPECT_EQ(refusal_of(FilterRows(1, std::vector<float>(9))), told);
  EXPECT_EQ(refusal_of({{1, 2}}),
            "filter_2d: columns must be an odd number between 1 and 7, not 2");
  EXPECT_NE(refusal_of({}), "");
  EXPECT_NE(refusal_of({{2e6f}}), "");
}

}  // namespace filter_filter_2d_test
}  // namespace sluice
