// mean, min, max and standard_deviation in pipelines, on pictures and tensors.
#include "tests/io/pictures.h"
#include <sluice/ops/kernels/reduce.h>
#include <sluice/sluice.h>

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
        8, [](const SampleInfo& info) { return draw_picture(20, 30, 3, info.key().index + 1u); });
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

TEST(Reductions, AreRefusedForTensorsOfAnotherType) {
  try {
    (void)make_pipeline({}, [](Graph& g) {
      auto image = g.source(8, [](const SampleInfo&) { return draw_picture(20, 30, 3); });
      return mean(crop_mirror_normalize(image));
    });
    ADD_FAILURE();
  } catch (const BuildError& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("'mean' takes elements that are u8, not f32; ask it before they are made"),
              0u)
        << error.what();
  }
}

}  // namespace reductions_test
}  // namespace sluice
