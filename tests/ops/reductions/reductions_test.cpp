// mean, min, max and standard_deviation in pipelines, on images and tensors.
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

#include <cstdint>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace reductions_test {

using kernels::Reduction;

TEST(Reductions, AreOperators) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto image = g.source(
        8, [](const SampleInfo& info) { return draw_image(20, 30, 3, info.key().index + 1u); });
    auto tensor = g.map(
        "tensor", [](const Image& in) { return in.clone().tensor().clone(); }, image);
    g.filter(mean(image) == mean(tensor));
    g.filter(min(image) == min(tensor));
    g.filter(max(image) == max(tensor));
    g.filter(standard_deviation(image) == standard_deviation(tensor));
    return std::tuple{image, mean(image), min(image), max(image), standard_deviation(image)};
  });
  int samples = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i, ++samples) {
      const Tensor& levels = batch.get<0>()[i].tensor();
      EXPECT_EQ(batch.get<1>()[i], kernels::reduce(Reduction::mean, levels));
      EXPECT_EQ(batch.get<2>()[i], kernels::reduce(Reduction::min, levels));
      EXPECT_EQ(batch.get<3>()[i], kernels::reduce(Reduction::max, levels));
      EXPECT_EQ(batch.get<4>()[i], kernels::reduce(Reduction::standard_deviation, levels));
    }
  }
  EXPECT_EQ(samples, 8);
}

TEST(Reductions, TakeTensorsOfAllTypes) {
  auto pipeline = make_pipeline({.batch_size = 1}, [](Graph& g) {
    auto image = g.source(1, [](const SampleInfo&) { return draw_image(20, 30, 3); });
    auto numbers = cast<std::int64_t>(image) * 1000000;
    return std::tuple{mean(image / 255) * 255 - mean(image),
                      max<std::int64_t>(numbers),
                      max(image),
                      min<double>(numbers),
                      any(image > 254),
                      all(image >= 0)};
  });
  const auto batch = pipeline.epoch().next();
  EXPECT_NEAR(batch->get<0>()[0], 0, 1e-4);
  EXPECT_EQ(batch->get<1>()[0], static_cast<std::int64_t>(batch->get<2>()[0]) * 1000000);
  EXPECT_GE(batch->get<3>()[0], 0);
  EXPECT_EQ(batch->get<4>()[0], batch->get<2>()[0] == 255);
  EXPECT_TRUE(batch->get<5>()[0]);
}

TEST(Reductions, OfFractionsAreFractions) {
  EXPECT_NE(error_of<BuildError>([] {
              (void)make_pipeline({}, [](Graph& g) {
                auto image = g.source(8, [](const SampleInfo&) { return draw_image(20, 30, 3); });
                return max<std::int64_t>(crop_mirror_normalize(image));
              });
            }).find("max: to is i64, but the result of elements of f32 is a fraction"),
            std::string::npos);
}

}  // namespace reductions_test
}  // namespace sluice
