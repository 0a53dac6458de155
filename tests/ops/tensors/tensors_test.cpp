#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace tensors_tensors_test {

TEST(Tensors, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 1}, [](Graph& g) {
    auto image =
        g.source(1, [](const SampleInfo&) { return testing::constant_image(2, 5, 3, 255); });
    auto tensor = crop_mirror_normalize(image);
    return std::tuple{reshape(cat(tensor, tensor, -1), {3, -1}), lookup_table(image, {7})};
  });
  const auto batch = pipeline.epoch().next();
  const Tensor& joined_twice = batch->get<0>()[0];
  EXPECT_EQ(joined_twice.shape(), (Shape{3, 20}));
  EXPECT_EQ(joined_twice.data<float>()[59], 1.f);
  EXPECT_EQ(batch->get<1>()[0].at(1, 4, 2), 0);
  EXPECT_NE(error_of<BuildError>([] {
              (void)make_pipeline({}, [](Graph& g) {
                auto image = g.source(1, [](const SampleInfo&) { return Image(2, 2, 1); });
                return reshape(crop_mirror_normalize(image), {-1, -1});
              });
            }).find("one size may be -1"),
            std::string::npos);
}

TEST(Tensors, NormalizeAndToTensorAreCropMirrorNormalize) {
  auto pipeline = make_pipeline({.batch_size = 1}, [](Graph& g) {
    auto image =
        g.source(1, [](const SampleInfo&) { return testing::constant_image(2, 5, 3, 102); });
    return std::tuple{
        normalize(image, {.mean = {0.4f, 0.1f, 0.2f}, .std = 0.5f, .layout = Layout::hwc}),
        to_tensor(image), to_tensor(image, {.dtype = DType::u8}), permute(image, {2, 1, 0})};
  });
  const auto batch = pipeline.epoch().next();
  const float* const normalized = batch->get<0>()[0].data<float>();
  EXPECT_NEAR(normalized[0], 0, 1e-6);
  EXPECT_NEAR(normalized[1], 0.6, 1e-6);
  EXPECT_NEAR(normalized[2], 0.4, 1e-6);
  EXPECT_EQ(batch->get<1>()[0].shape(), (Shape{3, 2, 5}));
  EXPECT_FLOAT_EQ(batch->get<1>()[0].data<float>()[29], 0.4f);
  EXPECT_EQ(batch->get<2>()[0].data<std::uint8_t>()[29], 102);
  EXPECT_EQ(batch->get<3>()[0].shape(), (Shape{3, 5, 2}));
  const auto refused = [](auto make) {
    return error_of<BuildError>([&] {
      (void)make_pipeline({}, [&](Graph& g) {
        return make(g.source(1, [](const SampleInfo&) { return Image(2, 2, 1); }));
      });
    });
  };
  EXPECT_EQ(refused([](auto image) { return normalize(image, {.dtype = DType::u8}); }),
            "normalize: dtype must be f32, f16 or bf16, not u8");
  EXPECT_EQ(refused([](auto image) { return to_tensor(image, {.dtype = DType::i8}); }),
            "to_tensor: dtype must be f32, f16, bf16 or u8, not i8");
  EXPECT_NE(refused([](auto image) {
              return permute(image, {1, 1, 0});
            }).find("permute: axis 1 is named twice"),
            std::string::npos);
  EXPECT_NE(refused([](auto image) { return permute(image, {}); }).find("there are 0 axes"),
            std::string::npos);
}

// Several values, which no loop collects.
TEST(Tensors, SeveralAreJoinedAndStacked) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto image = g.source(3, [](const SampleInfo& info) {
      return testing::constant_image(2, 5, 3, static_cast<std::uint8_t>(info.index));
    });
    auto other = brightness_contrast(image, {.brightness = 10.f});
    auto tensor = crop_mirror_normalize(image, {.mean = {0, 0, 0}, .std = {1, 1, 1}});
    auto list = list_of(image, other, image);
    auto sizes = g.map(
        "sizes",
        [](const std::vector<Image>& all) { return static_cast<std::int64_t>(all.size()); }, list);
    return std::tuple{cat({tensor, tensor, tensor}, 2),
                      stack({tensor, tensor}, 3),
                      stack({image, other}),
                      stack(list, 4, 1),
                      sizes,
                      cat({tensor})};
  });
  const auto batch = pipeline.epoch().next();
  for (std::size_t s = 0; s < 3; ++s) {
    const auto level = static_cast<float>(s) / 255;
    const auto byte = static_cast<std::uint8_t>(s);
    EXPECT_EQ(batch->get<0>()[s].shape(), (Shape{3, 2, 15}));
    EXPECT_EQ(batch->get<0>()[s].data<float>()[89], level);
    EXPECT_EQ(batch->get<1>()[s].shape(), (Shape{3, 2, 5, 2}));
    EXPECT_EQ(batch->get<1>()[s].data<float>()[59], level);
    const Tensor& images = batch->get<2>()[s];
    EXPECT_EQ(images.shape(), (Shape{2, 2, 5, 3}));
    EXPECT_EQ(images.data<std::uint8_t>()[0], byte);
    EXPECT_EQ(images.data<std::uint8_t>()[30], 10 * byte);
    const Tensor& filled = batch->get<3>()[s];
    ASSERT_EQ(filled.shape(), (Shape{2, 4, 5, 3}));
    for (std::size_t i = 0; i < 4; ++i) {
      const int expected = i == 3 ? 0 : i == 1 ? 10 * byte : byte;
      EXPECT_EQ(filled.data<std::uint8_t>()[(4 + i) * 15], expected) << i;
    }
    EXPECT_EQ(batch->get<4>()[s], 3);
    EXPECT_EQ(batch->get<5>()[s].shape(), (Shape{3, 2, 5}));
  }
}

TEST(Tensors, NothingIsNotJoined) {
  EXPECT_EQ(error_of<BuildError>([] { (void)cat(std::vector<Value<Tensor>>{}); }),
            "cat: there are no tensors; give at least one");
  EXPECT_EQ(error_of<BuildError>([] { (void)stack(std::vector<Value<Image>>{}); }),
            "list_of: there are no values; give at least one");
}

}  // namespace tensors_tensors_test
}  // namespace sluice
