// sum in pipelines, on images and tensors.
#include "tests/error_of.h"
#include "tests/io/images.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/reductions.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include <gtest/gtest.h>

namespace sluice {
namespace reductions_sum_test {

Value<Image> draw_images(Graph& g) {
  return g.source(
      4, [](const SampleInfo& info) { return draw_image(20, 30, 3, info.key().index + 1u); });
}

TEST(SumOperator, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto image = draw_images(g);
    auto light = image > 100;
    auto parts = image / 255;
    static_assert(std::is_same_v<decltype(sum(image)), Value<std::int64_t>>);
    g.filter(sum(image) == sum(cast<std::int32_t>(image)));
    return std::tuple{image, sum(image), sum<float>(image), sum(light), sum<double>(parts), parts};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 4u);
  for (std::size_t s = 0; s < 4; ++s) {
    const Image& image = batch->get<0>()[s];
    std::int64_t sum = 0, light = 0;
    for (std::int64_t i = 0; i < image.tensor().elements(); ++i) {
      sum += image.data()[i];
      light += image.data()[i] > 100 ? 1 : 0;
    }
    EXPECT_EQ(batch->get<1>()[s], sum);
    EXPECT_EQ(batch->get<2>()[s], static_cast<float>(sum));
    EXPECT_EQ(batch->get<3>()[s], light);
    EXPECT_EQ(batch->get<4>()[s], kernels::sum<double>(batch->get<5>()[s]));
    EXPECT_NEAR(batch->get<4>()[s], static_cast<double>(sum) / 255, 1e-3);
  }
}

TEST(SumOperator, OfFractionsIsNoWholeNumber) {
  const std::string says = "sum: to is i64, but the elements are f32; their sum can be f32 or f64";
  EXPECT_NE(error_of<BuildError>([] {
              (void)make_pipeline(
                  {}, [](Graph& g) { return sum(crop_mirror_normalize(draw_images(g))); });
            }).find(says),
            std::string::npos);
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    return sum(g.source(1, [](const SampleInfo&) { return Tensor({2}, DType::f32); }));
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what, says);
}

}  // namespace reductions_sum_test
}  // namespace sluice
