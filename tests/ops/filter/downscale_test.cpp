// downscale in a pipeline, with a scale for each sample.
#include "tests/io/images.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/resize.h>

#include <gtest/gtest.h>

namespace sluice {
namespace filter_downscale_test {

TEST(DownscaleOperator, TakesAScaleOfEachSample) {
  for (const Interpolation interpolation : {Interpolation::nearest, Interpolation::box}) {
    auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [&](Graph& g) {
      auto i =
          g.source(3, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
      auto image = g.map(
          "image", [](int) { return draw_image(9, 7, 3, 5); }, i);
      return downscale(image, cast<float>(i) * 0.5f, {.interpolation = interpolation});
    });
    const auto batch = pipeline.epoch().next();
    ASSERT_EQ(batch->size(), 2u);
    Image expected;
    kernels::downscale(draw_image(9, 7, 3, 5), 0.5f, interpolation, expected);
    EXPECT_EQ(batch->get<0>()[0], expected);
    EXPECT_NE(batch->get<0>()[0], batch->get<0>()[1]);
    EXPECT_EQ(batch->get<0>()[1], draw_image(9, 7, 3, 5));
    EXPECT_EQ(batch->errors().at(0).what, "downscale: scale must be above 0 and at most 1, not 0");
  }
}

}  // namespace filter_downscale_test
}  // namespace sluice
