// sharpness in a pipeline, with a factor for each sample.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/filter.h>

#include <gtest/gtest.h>

namespace sluice {
namespace filter_sharpness_test {

TEST(SharpnessOperator, TakesAFactorOfEachSample) {
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    auto factor = g.source(
        4, [](const SampleInfo& info) { return static_cast<float>(info.index_in_epoch) - 1; });
    auto image = g.map(
        "image", [](float) { return draw_image(9, 7, 3, 5); }, factor);
    return sharpness(image, factor);
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  for (const int factor : {0, 1, 2}) {
    Image expected;
    kernels::sharpness(draw_image(9, 7, 3, 5), static_cast<float>(factor), expected);
    EXPECT_EQ(batch->get<0>()[static_cast<std::size_t>(factor)], expected);
  }
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what, "sharpness: factor must lie between 0 and 100, not -1");
}

}  // namespace filter_sharpness_test
}  // namespace sluice
