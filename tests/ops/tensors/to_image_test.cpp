// to_image in pipelines: the result of computing with an image becomes an image again.
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace tensors_to_image_test {

TEST(ToImageOperator, OfWhatWasComputed) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto image = g.source(3, [](const SampleInfo& info) {
      return testing::constant_image(4, 6, 3, static_cast<std::uint8_t>(100 + 50 * info.index));
    });
    return std::tuple{to_image(image * 1.5f), resize(to_image(crop_mirror_normalize(image) * 255),
                                                     {.height = 2, .width = 3})};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  const int expected[] = {150, 225, 255};
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(batch->get<0>()[s].at(3, 5, 2), expected[s]);
    const Image& small = batch->get<1>()[s];
    ASSERT_EQ(small.height(), 2);
    ASSERT_EQ(small.width(), 3);
    EXPECT_EQ(small.at(1, 2, 0), 100 + 50 * static_cast<int>(s));
  }
}

// Numbers from 0 to 1 are no pixel values: the image would be black.
TEST(ToImageOperator, FractionsUpToOneNeedTheirWhite) {
  struct Case {
    float factor;                // of pixel values 0 to 250
    std::optional<float> white;  // none: it is not said
    std::int64_t bad;            // samples that fail
  };
  const Case cases[] = {{1.f / 255, {}, 1},    {1.f / 255, 1.f, 0}, {1.f / 255, 255.f, 0},
                        {0.5f / 255, 0.5f, 0}, {1.f, {}, 0},        {-0.001f, {}, 1}};
  for (const Case& c : cases) {
    auto pipeline = make_pipeline({.batch_size = 2, .on_error = OnError::skip}, [&](Graph& g) {
      auto image = g.source(2, [](const SampleInfo& info) {  // the first one is black
        return testing::constant_image(4, 6, 3, static_cast<std::uint8_t>(250 * info.index));
      });
      auto numbers = image * c.factor;
      return c.white ? to_image(numbers, {.white = *c.white}) : to_image(numbers);
    });
    const auto batch = pipeline.epoch().next();
    EXPECT_EQ(std::ssize(batch->errors()), c.bad) << c.factor;
    if (c.bad > 0) {
      EXPECT_NE(batch->errors()[0].what.find("give white = 1 for numbers from 0 to 1"),
                std::string::npos)
          << batch->errors()[0].what;
      EXPECT_EQ(batch->errors()[0].key.index, 1);
      continue;
    }
    const int expected = c.white == 255.f ? 1 : 250;
    EXPECT_EQ(batch->get<0>()[1].at(3, 5, 2), expected) << c.factor;
  }
}

TEST(ToImageOperator, WhatIsNoImageIsTheErrorOfItsSample) {
  auto pipeline = make_pipeline({.batch_size = 2, .on_error = OnError::skip}, [](Graph& g) {
    return to_image(g.source(2, [](const SampleInfo& info) {
      Tensor made({2, 2, 3 + info.index * 2}, DType::f32);
      for (std::int64_t i = 0; i < made.elements(); ++i) made.data<float>()[i] = 1;
      return made;
    }));
  });
  const auto batch = pipeline.epoch().next();
  EXPECT_EQ(batch->size(), 1u);
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what.find("to_image: a tensor of "), 0u) << batch->errors()[0].what;
}

}  // namespace tensors_to_image_test
}  // namespace sluice
