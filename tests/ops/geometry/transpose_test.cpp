#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/image.h>

#include <cstdint>

#include <gtest/gtest.h>

namespace sluice {
namespace geometry_transpose_test {

TEST(TransposeOperator, TwiceIsTheSameImage) {
  const auto image_of = [](std::int64_t i) {
    return testing::make_image(3 + static_cast<int>(i), 9, 3, static_cast<std::uint32_t>(i));
  };
  auto pipeline = make_pipeline({.batch_size = 4}, [&](Graph& g) {
    auto index = g.source(4, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto image = g.map("image", image_of, index);
    return std::tuple{transpose(image), transpose(transpose(image)),
                      flip(transpose(image), {.horizontal = false, .vertical = true}),
                      rotate(image, 90.f)};
  });
  std::int64_t i = 0;
  for (const auto& [once, twice, flipped, turned] : pipeline.epoch()) {
    for (std::size_t k = 0; k < once.size(); ++k, ++i) {
      const Image in = image_of(i), out = once[k];
      EXPECT_EQ(out.height(), 9);
      EXPECT_EQ(out.width(), in.height());
      EXPECT_EQ(out.at(8, 2, 1), in.at(2, 8, 1));
      EXPECT_EQ(twice[k], in);
      EXPECT_EQ(flipped[k], turned[k]);
    }
  }
  EXPECT_EQ(i, 4);
}

}  // namespace geometry_transpose_test
}  // namespace sluice
