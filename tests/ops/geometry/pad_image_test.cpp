#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace pad_image_test {

Image image_of(std::int64_t i) {
  return testing::make_image(5 + static_cast<int>(i), 9, 3, static_cast<std::uint32_t>(i));
}

TEST(PadImage, ParametersMayDifferFromSampleToSample) {
  auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [](Graph& g) {
    auto index = g.source(6, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto image = g.map("image", image_of, index);
    auto some = g.map(
        "some", [](std::int64_t i) { return static_cast<int>(4 - i); }, index);
    return std::tuple{index,
                      pad_image(image, {.left = some, .bottom = 2, .border = Border::reflect}),
                      pad_image(image, {.top = 1, .height = 8, .width = 8, .fill = {1, 2, 3}})};
  });
  std::int64_t passed = 0;
  std::string told;
  auto epoch = pipeline.epoch();
  while (const auto batch = epoch.next()) {
    for (const auto& error : batch->errors()) told += error.what;
    for (std::size_t k = 0; k < batch->size(); ++k, ++passed) {
      const std::int64_t i = batch->get<0>()[k];
      const Image in = image_of(i);
      Image out;
      kernels::pad(in, {static_cast<int>(4 - i), 0, 0, 2}, Border::reflect, 0, out);
      EXPECT_EQ(batch->get<1>()[k], out);
      kernels::pad(in, {0, 1, 0, i < 2 ? static_cast<int>(2 - i) : 0}, Border::constant, {1, 2, 3},
                   out);
      EXPECT_EQ(batch->get<2>()[k], out);
    }
  }
  EXPECT_EQ(passed, 5);
  EXPECT_EQ(told, "pad_image: left must lie between 0 and 65535, not -1");
}

}  // namespace pad_image_test
}  // namespace sluice
