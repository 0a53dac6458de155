// grid_mask in a pipeline, with a tile for each sample.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/occlusion.h>

#include <gtest/gtest.h>

namespace sluice {
namespace occlusion_grid_mask_test {

TEST(GridMaskOperator, TakesATileOfEachSample) {
  auto pipeline = make_pipeline({.batch_size = 2, .on_error = OnError::skip}, [](Graph& g) {
    auto tile = g.source(
        2, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch) * 4; });
    auto image = g.map(
        "image", [](int) { return draw_image(9, 7, 3, 5); }, tile);
    return grid_mask(image, {.tile = tile,
                             .ratio = 0.25f,
                             .degrees = 30.f,
                             .shift_y = 2.f,
                             .shift_x = 1.f,
                             .fill = {5, 6, 7}});
  });
  const auto batch = pipeline.epoch().next();
  Image expected;
  kernels::grid_mask(draw_image(9, 7, 3, 5), {4, 0.25f, 30, 1, 2, {5, 6, 7}}, expected);
  ASSERT_EQ(batch->size(), 1u);
  EXPECT_EQ(batch->get<0>()[0], expected);
  EXPECT_EQ(batch->errors().at(0).what, "grid_mask: tile must lie between 1 and 65535, not 0");
}

}  // namespace occlusion_grid_mask_test
}  // namespace sluice
