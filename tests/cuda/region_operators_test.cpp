// Operators on devices that give a region of a picture, two of them, or tensors.
#include "tests/cuda/same_operator.h"
#include <sluice/sluice.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace {

// JPEG files of different heights.
auto encoded_files(Graph& g, std::int64_t count) {
  return g.map(
      "encode",
      [](std::int64_t i) {
        return encode_jpeg(testing::make_picture(60 + static_cast<int>(i), 90, 3));
      },
      g.source(count, [](const SampleInfo& info) { return info.index_in_epoch; }));
}

// Regions that follow from the size of a picture, which the host knows: no gather ends for them.
TEST(DeviceRegion, IsDrawnAsOnTheHost) {
  const OperatorCase crop{"random_resized_crop", [](Graph&, Value<Image> image) {
                            auto part =
                                random_resized_crop(rotate(image, 20.f), {.width = 9, .height = 7});
                            return random_erasing(part, {.probability = 0.8f, .max_area = 0.1f});
                          }};
  expect_same(crop);
  auto pipeline = make_pipeline({.device = test_device()}, [&](Graph& g) {
    auto image =
        g.map("draw", picture_of,
              g.source(kPictures, [](const SampleInfo& info) { return info.index_in_epoch; }));
    return crop.change(g, image.gpu()).cpu();
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  const DeviceStats stats = pipeline.stats().device;
  EXPECT_EQ(stats.samples, kPictures) << "in gathers, each of them once";
}

// A picture of which only the region is decoded.
TEST(DeviceRegion, OfAFileIsDrawnAsOnTheHost) {
  constexpr std::int64_t kFiles = 24;
  const auto crops_of = [](bool there) {
    const PipelineOptions options{.seed = 4, .device = there ? test_device() : nullptr};
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto jpeg = encoded_files(g, kFiles);
      auto image = decode_jpeg(there ? jpeg.gpu() : jpeg);
      auto crop = random_resized_crop(image, {.width = 20, .height = 30});
      return there ? crop.cpu() : crop;
    });
    std::vector<Image> crops;
    for (const auto& batch : pipeline.epoch()) {
      EXPECT_TRUE(batch.errors().empty());
      for (std::size_t i = 0; i < batch.size(); ++i) crops.push_back(batch.get<0>()[i].clone());
    }
    return crops;
  };
  const std::vector<Image> host = crops_of(false), there = crops_of(true);
  ASSERT_EQ(host.size(), static_cast<std::size_t>(kFiles));
  EXPECT_TRUE(there == host);
}

// Tensors joined and in another shape, all that lies in them.
TEST(DeviceTensors, AreJoinedAndReshapedAsOnTheHost) {
  const auto tensors_of = [](bool there) {
    const PipelineOptions options{.device = there ? test_device() : nullptr,
                                  .on_error = OnError::skip};
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto image =
          g.map("draw", picture_of,
                g.source(kPictures, [](const SampleInfo& info) { return info.index_in_epoch; }));
      if (there) image = image.gpu();
      const auto planes = crop_mirror_normalize(image, {.dtype = DType::f16});
      const auto pixels = crop_mirror_normalize(invert(image), {.layout = Layout::hwc});
      const auto all = std::tuple{
          cat(planes, planes), cat(pixels, pixels, -1),
          cat(planes, crop_mirror_normalize(image, {.mirror = true, .dtype = DType::f16}), 1),
          reshape(pixels, {-1, 1}), reshape(planes, {3, 7, 5})};
      return std::apply(
          [&](auto... tensor) { return std::tuple{(there ? tensor.cpu() : tensor)...}; }, all);
    });
    std::vector<Tensor> tensors;
    std::vector<std::string> errors;
    for (const auto& batch : pipeline.epoch()) {
      for (const SampleError& error : batch.errors()) errors.push_back(error.what);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        tensors.push_back(batch.get<0>()[i].clone());
        tensors.push_back(batch.get<1>()[i].clone());
        tensors.push_back(batch.get<2>()[i].clone());
        tensors.push_back(batch.get<3>()[i].clone());
        tensors.push_back(batch.get<4>()[i].clone());
      }
    }
    EXPECT_FALSE(tensors.empty());
    EXPECT_FALSE(errors.empty()) << "most cannot become 3 x 7 x 5";
    return std::pair(std::move(tensors), std::move(errors));
  };
  EXPECT_TRUE(tensors_of(true) == tensors_of(false));
}

// Two views of one decode, with all their choices, are one gather from the file to the tensors.
TEST(DeviceRegion, TwoViewsOfAFileAreThoseOfTheHost) {
  constexpr std::int64_t kFiles = 40;
  const auto views_of = [](bool there) {
    const PipelineOptions options{.seed = 4, .device = there ? test_device() : nullptr};
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto jpeg = encoded_files(g, kFiles);
      const auto both = sim_clr(g, there ? jpeg.gpu() : jpeg, {.width = 20, .height = 30});
      const auto tensor = [&](Value<Image> view) {
        auto normal = crop_mirror_normalize(view);
        return there ? normal.cpu() : normal;
      };
      return std::tuple{tensor(both.first), tensor(both.second)};
    });
    std::vector<Tensor> views;
    for (const auto& batch : pipeline.epoch()) {
      EXPECT_TRUE(batch.errors().empty());
      for (std::size_t i = 0; i < batch.size(); ++i) {
        views.push_back(batch.get<0>()[i].clone());
        views.push_back(batch.get<1>()[i].clone());
      }
    }
    EXPECT_EQ(pipeline.stats().device.samples, there ? kFiles : 0) << to_string(pipeline.plan());
    return views;
  };
  const std::vector<Tensor> host = views_of(false), there = views_of(true);
  ASSERT_EQ(host.size(), static_cast<std::size_t>(2 * kFiles));
  EXPECT_TRUE(there == host);
}

}  // namespace
}  // namespace sluice::device
