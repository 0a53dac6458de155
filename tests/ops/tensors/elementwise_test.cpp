#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace tensors_elementwise_test {

TEST(ElementwiseOperators, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto image = g.source(3, [](const SampleInfo& info) {
      return testing::constant_image(2, 3, 3, static_cast<std::uint8_t>(100 + info.index));
    });
    auto tensor = cast<float>(image);
    auto count = g.map(
        "count", [](const Image& in) { return std::int64_t{in.height()}; }, image);
    return std::tuple{image / 255, 1 - tensor * 0.5,  image + image,       tensor < count * 51,
                      -tensor,     image * count + 1, minimum(tensor, 101)};
  });
  const auto batch = pipeline.epoch().next();
  for (std::size_t s = 0; s < 3; ++s) {
    const auto level = static_cast<float>(100 + s);
    EXPECT_EQ(batch->get<0>()[s].data<float>()[17], level / 255);
    EXPECT_EQ(batch->get<1>()[s].data<float>()[17], 1 - level / 2);
    EXPECT_EQ(batch->get<2>()[s].data<std::uint8_t>()[17], 200 + 2 * s);
    EXPECT_EQ(batch->get<3>()[s].data<bool>()[17], level < 102);
    EXPECT_EQ(batch->get<4>()[s].data<float>()[17], -level);
    EXPECT_EQ(batch->get<5>()[s].data<std::uint8_t>()[17], 201 + 2 * s);
    EXPECT_EQ(batch->get<6>()[s].data<float>()[17], std::min(level, 101.f));
  }
}

TEST(ElementwiseOperators, Bits) {
  auto pipeline = make_pipeline({.batch_size = 2}, [](Graph& g) {
    auto image = g.source(2, [](const SampleInfo& info) {
      return testing::constant_image(2, 3, 3, static_cast<std::uint8_t>(100 + info.index));
    });
    auto number = g.map(
        "number", [](const Image& in) { return 20 * in.height(); }, image);
    return std::tuple{
        image & 0xF0, 3 | image, image ^ image, image & number, (image > 100) & (image < 200),
        number & 0x18};
  });
  const auto batch = pipeline.epoch().next();
  for (std::size_t s = 0; s < 2; ++s) {
    const int level = 100 + static_cast<int>(s);
    EXPECT_EQ(batch->get<0>()[s].data<std::uint8_t>()[17], level & 0xF0);
    EXPECT_EQ(batch->get<1>()[s].data<std::uint8_t>()[17], 3 | level);
    EXPECT_EQ(batch->get<2>()[s].data<std::uint8_t>()[17], 0);
    EXPECT_EQ(batch->get<3>()[s].data<std::uint8_t>()[17], level & 40);
    EXPECT_EQ(batch->get<4>()[s].data<bool>()[17], level > 100);
    EXPECT_EQ(batch->get<5>()[s], 40 & 0x18);
  }
  EXPECT_NE(error_of<BuildError>([] {
              (void)make_pipeline({}, [](Graph& g) {
                return 3 & crop_mirror_normalize(
                               g.source(1, [](const SampleInfo&) { return Image(2, 2, 3); }));
              });
            }).find("bitwise_and: the elements are f32 and f32; whole numbers and bool are"),
            std::string::npos);
  static_assert(!detail::elements_bits_pair<Value<Tensor>, float>);
  EXPECT_NE(error_of<BuildError>([] {
              (void)make_pipeline({}, [](Graph& g) {
                return g.source(1, [](const SampleInfo&) { return Image(2, 2, 3); }) &
                       ((std::int64_t{1} << 53) + 1);
              });
            }).find("9007199254740993"),
            std::string::npos);
}

// A size is two Params.
TEST(ElementwiseOperators, MembersOfStructsAreNumbers) {
  auto pipeline = make_pipeline({.batch_size = 1}, [](Graph& g) {
    auto image = g.source(1, [](const SampleInfo&) { return testing::constant_image(2, 3, 3, 7); });
    const CanvasSize size = canvas_size(image);
    return std::tuple{size.width >= 3,
                      2u == size.height,
                      g.if_else(size.width > size.height, size.width * 0.5f, 0.f),
                      image * size.width,
                      size.height + cast<float>(image),
                      clamp(image, size.width, 5),
                      minimum(-size.width, std::int64_t{-2}),
                      floor_divide(image, size.height) % 2};
  });
  const auto batch = pipeline.epoch().next();
  EXPECT_TRUE(batch->get<0>()[0] && batch->get<1>()[0]);
  EXPECT_EQ(batch->get<2>()[0], 1.5f);
  EXPECT_EQ(batch->get<3>()[0].data<std::uint8_t>()[17], 21);
  EXPECT_EQ(batch->get<4>()[0].data<float>()[17], 9.f);
  EXPECT_EQ(batch->get<5>()[0].data<std::uint8_t>()[17], 5);
  EXPECT_EQ(batch->get<6>()[0], -3);
  EXPECT_EQ(batch->get<7>()[0].data<std::uint8_t>()[17], 1);
}

TEST(ElementwiseOperators, WhatDoesNotFitIsTheErrorOfItsSample) {
  const auto error = [](const std::function<Value<Tensor>(Value<Image>)>& make) {
    return error_of<Error>([&] {
      auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
        return make(
            g.source(1, [](const SampleInfo&) { return testing::constant_image(2, 5, 3, 7); }));
      });
      pipeline.epoch().next();
    });
  };
  EXPECT_NE(error([](Value<Image> image) {
              return image + 300;
            }).find("a tensor of u8 and the number 300: u8 does not hold it; cast the tensor"),
            std::string::npos);
  EXPECT_NE(error([](Value<Image> image) {
              return image * reshape(cast<float>(image), {15, 2});
            }).find("tensors of (2, 5, 3) and (15, 2) cannot be broadcast"),
            std::string::npos);
  EXPECT_NE(error([](Value<Image> image) {
              return cast<std::uint8_t>(image * 100.);
            }).find("700 does not fit into 'u8'"),
            std::string::npos);
  EXPECT_NE(error([](Value<Image> image) {
              return image * image * image;
            }).find("the result of 49 * 7 does not fit into u8"),
            std::string::npos);
  EXPECT_NE(error([](Value<Image> image) {
              return image % (image - 7);
            }).find("integer division by zero"),
            std::string::npos);
}

}  // namespace tensors_elementwise_test
}  // namespace sluice
