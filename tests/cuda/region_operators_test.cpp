// Operators on devices that return a region of an image, two of them, or tensors.
#include "tests/cuda/same_operator.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/color.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/occlusion.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace region_operators_test {

// JPEG files of different heights.
auto encoded_files(Graph& g, std::int64_t count) {
  return g.map(
      "encode",
      [](std::int64_t i) {
        return encode_jpeg(testing::make_image(60 + static_cast<int>(i), 90, 3));
      },
      g.source(count, [](const SampleInfo& info) { return info.index_in_epoch; }));
}

// Regions that follow from the size of an image, which the host knows: no device batch ends for
// them.
TEST(DeviceRegion, IsDrawnAsOnTheHost) {
  const OperatorCase crop{"random_resized_crop", [](Graph&, Value<Image> image) {
                            auto part =
                                random_resized_crop(rotate(image, 20.f), {.height = 7, .width = 9});
                            return random_erasing(part, {.probability = 0.8f, .max_area = 0.1f});
                          }};
  expect_same(crop);
  auto pipeline = make_pipeline({.device = test_device()}, [&](Graph& g) {
    auto image =
        g.map("draw", image_of,
              g.source(kImages, [](const SampleInfo& info) { return info.index_in_epoch; }));
    return crop.change(g, image.gpu()).cpu();
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  const DeviceStats stats = pipeline.stats().device;
  EXPECT_EQ(stats.samples, kImages) << "in GPU batches, each of them once";
}

// Returns the images made of a file, on the host or on the device.
struct FileCase {
  std::string text;
  std::function<Value<Image>(Graph&, Value<Bytes>)> change;
};

std::vector<Image> images_of(const FileCase& one, bool there) {
  constexpr std::int64_t kFiles = 24;
  const PipelineOptions options{.seed = 4, .device = there ? test_device() : nullptr};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto jpeg = encoded_files(g, kFiles);
    return one.change(g, there ? jpeg.gpu() : jpeg).cpu();
  });
  std::vector<Image> images;
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_TRUE(batch.errors().empty());
    for (std::size_t i = 0; i < batch.size(); ++i) images.push_back(batch.get<0>()[i].clone());
  }
  EXPECT_EQ(images.size(), static_cast<std::size_t>(kFiles));
  EXPECT_EQ(pipeline.stats().device.samples > 0, there);
  return images;
}

DetectionSample detect(Graph& g, Value<Bytes> jpeg) {
  const auto boxes = g.map(
      "box",
      [](const Bytes&) {
        Tensor box({1, 4}, DType::f32);
        const std::array<float, 4> sides{20, 10, 70, 50};
        std::copy(sides.begin(), sides.end(), box.data<float>());
        return box;
      },
      jpeg);
  return detection_augment(g, jpeg, boxes, boxes, {.height = 30, .width = 40});
}

SegmentationSample segment(Graph& g, Value<Bytes> jpeg) {
  const auto mask = grayscale(decode_jpeg(jpeg));
  return segmentation_augment(g, jpeg, mask, {.height = 64, .width = 70});
}

// The device, too, decodes no more of an image than the region that is seen of it. Numbers such as
// its size stay on the host.
TEST(DeviceRegion, OfAFileIsThatOfTheHost) {
  const FileCase cases[] = {
      {"random_resized_crop",
       [](Graph&, Value<Bytes> jpeg) {
         return random_resized_crop(decode_jpeg(jpeg), {.height = 30, .width = 20});
       }},
      {"center_region",
       [](Graph&, Value<Bytes> jpeg) {
         auto image = decode_jpeg(jpeg);
         return crop(image, center_region(canvas_size(image), {.height = 33, .width = 21}));
       }},
      {"detection_augment", [](Graph& g, Value<Bytes> jpeg) { return detect(g, jpeg).image; }},
      {"segmentation_augment, the image",
       [](Graph& g, Value<Bytes> jpeg) { return segment(g, jpeg).image; }},
      {"segmentation_augment, the mask",
       [](Graph& g, Value<Bytes> jpeg) { return segment(g, jpeg).mask; }},
      {"dino, a global view",
       [](Graph& g, Value<Bytes> jpeg) {
         return dino(g, jpeg, {.global_size = 24, .local_size = 9}).global[1];
       }},
      {"dino, a local view",
       [](Graph& g, Value<Bytes> jpeg) {
         return dino(g, jpeg, {.global_size = 24, .local_size = 9}).local[7];
       }},
      {"aug_mix", [](Graph& g, Value<Bytes> jpeg) { return aug_mix(g, decode_jpeg(jpeg)); }},
  };
  for (const FileCase& one : cases) {
    SCOPED_TRACE(one.text);
    EXPECT_TRUE(images_of(one, true) == images_of(one, false));
  }
}

// Joined and reshaped tensors, with all their elements.
TEST(DeviceTensors, AreJoinedAndReshapedAsOnTheHost) {
  const auto tensors_of = [](bool there) {
    const PipelineOptions options{.device = there ? test_device() : nullptr,
                                  .on_error = OnError::skip};
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto image =
          g.map("draw", image_of,
                g.source(kImages, [](const SampleInfo& info) { return info.index_in_epoch; }));
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

// Two views of one decode, with all their conditionals, are one device batch from the file to the
// tensors.
TEST(DeviceRegion, TwoViewsOfAFileAreThoseOfTheHost) {
  constexpr std::int64_t kFiles = 40;
  const auto views_of = [](bool there) {
    const PipelineOptions options{.seed = 4, .device = there ? test_device() : nullptr};
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto jpeg = encoded_files(g, kFiles);
      const auto both = sim_clr(g, there ? jpeg.gpu() : jpeg, {.height = 30, .width = 20});
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

}  // namespace region_operators_test
}  // namespace sluice::device
