// The operators of images on tensors, in pipelines: decode_tensor, crop, flip, resize, rotate and
// normalize, with numbers of each sample.
#include "tests/error_of.h"
#include "tests/io/images/png_writer.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/readers/memory.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/tensor_images.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace geometry_tensor_images_test {

Tensor made(std::int64_t sample) {
  Tensor tensor({20, 30, 5}, DType::u16);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.data<std::uint16_t>()[i] = static_cast<std::uint16_t>((i + 1) * 40503 + 77 * sample);
  return tensor;
}

Value<Tensor> source(Graph& g) {
  return g.source(3, [](const SampleInfo& info) { return made(info.index); });
}

TEST(TensorImageOperators, AreTheirKernels) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto tensor = source(g);
    auto index = g.source(3, [](const SampleInfo& info) { return static_cast<int>(info.index); });
    auto degrees =
        g.source(3, [](const SampleInfo& info) { return 15.f * static_cast<float>(info.index); });
    return std::tuple{
        crop(tensor, Rectangle{-2, 3, 10, 40}, {.out_of_bounds = OutOfBounds::trim}),
        crop(tensor, Rectangle{-2, 3, 10, 40}, {.out_of_bounds = OutOfBounds::pad, .fill = 1000}),
        flip(tensor, {.vertical = true}),
        resize(tensor, {.height = 8 + index, .width = 9, .antialias = false}),
        rotate(tensor, degrees, {.keep_size = true, .fill = 65535}),
        normalize(tensor, {.mean = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f}, .std = {0.5f}}),
    };
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  for (std::size_t s = 0; s < 3; ++s) {
    const Tensor in = made(static_cast<std::int64_t>(s));
    Tensor out;
    kernels::crop_tensor(in, {-2, 3, 10, 40}, OutOfBounds::trim, 0, out);
    EXPECT_TRUE(batch->get<0>()[s] == out);
    kernels::crop_tensor(in, {-2, 3, 10, 40}, OutOfBounds::pad, 1000, out);
    EXPECT_TRUE(batch->get<1>()[s] == out);
    kernels::flip_tensor(in, true, true, out);
    EXPECT_TRUE(batch->get<2>()[s] == out);
    kernels::resize_tensor(in, {.height = 8 + static_cast<int>(s), .width = 9},
                           {Interpolation::bilinear, false}, out);
    EXPECT_TRUE(batch->get<3>()[s] == out);
    kernels::rotate_tensor(in, 15.f * static_cast<float>(s), {true, 65535}, out);
    EXPECT_TRUE(batch->get<4>()[s] == out);
    const std::vector<float> mean{0.1f, 0.2f, 0.3f, 0.4f, 0.5f}, std{0.5f};
    kernels::normalize_tensor(in, {mean, std}, out);
    EXPECT_TRUE(batch->get<5>()[s] == out);
  }
}

TEST(TensorImageOperators, FilesKeepSixteenBits) {
  if (!can_decode(ImageFormat::png)) GTEST_SKIP() << "this build has no PNG";
  const auto level = [](int y, int x, int c) {
    return static_cast<unsigned>(y * 4096 + x * 300 + c);
  };
  const std::string png =
      png_file({.width = 12, .height = 9, .bits = 16, .color = 2, .level = level});
  const auto bytes = [](const std::string& text) {
    return Bytes::copy_of(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  std::vector<Bytes> files;
  files.push_back(bytes(png));
  files.push_back(bytes(png.substr(0, png.size() / 2)));
  auto pipeline = make_pipeline({.batch_size = 2, .on_error = OnError::skip}, [&](Graph& g) {
    auto file = std::get<0>(g.read(memory_in(std::move(files), std::vector<int>{0, 1})));
    return crop(decode_tensor(file), Rectangle{1, 2, 6, 7});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 1u);
  ASSERT_EQ(batch->errors().size(), 1u);
  const Tensor& part = batch->get<0>()[0];
  ASSERT_EQ(part.spec(), (ValueSpec{{6, 7, 3}, DType::u16, Layout::hwc}));
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 7; ++x) {
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(part.data<std::uint16_t>()[(y * 7 + x) * 3 + c], level(y + 1, x + 2, c));
    }
  }
  EXPECT_EQ(batch->errors()[0].step, "decode_tensor");
  EXPECT_EQ(batch->errors()[0].what, "broken PNG file: it ends too early");
}

TEST(TensorImageOperators, WrongConstantsAreBuildErrors) {
  const auto error = [](const auto& describe) {
    return error_of<BuildError>(
        [&] { make_pipeline({}, [&](Graph& g) { return describe(source(g)); }); });
  };
  const auto normalizing = [&](std::vector<float> mean, std::vector<float> std) {
    return error(
        [&](Value<Tensor> tensor) { return normalize(tensor, {.mean = mean, .std = std}); });
  };
  EXPECT_NE(normalizing({}, {1}).find("normalize: mean has 0 numbers; 1 to 16 are possible"),
            std::string::npos);
  EXPECT_NE(normalizing({0}, std::vector<float>(17, 1.f)).find("std has 17 numbers; 1 to 16"),
            std::string::npos);
  EXPECT_NE(normalizing({0, 0}, {1, 1, 1}).find("normalize: mean has 2 numbers and std has 3"),
            std::string::npos);
  EXPECT_NE(normalizing({0}, {1, 0}).find("normalize: std of channel 1 is 0; it must be above 0"),
            std::string::npos);
  EXPECT_NE(error([](Value<Tensor> tensor) {
              return resize(tensor, {});
            }).find("resize: give height and width, one of them, or shorter"),
            std::string::npos);
}

}  // namespace geometry_tensor_images_test
}  // namespace sluice
