// Operators that give a region of a picture on a device.
#include "tests/cuda/same_operator.h"
#include <sluice/sluice.h>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace {

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
      auto jpeg = g.map(
          "encode",
          [](std::int64_t i) {
            return encode_jpeg(testing::make_picture(60 + static_cast<int>(i), 90, 3));
          },
          g.source(kFiles, [](const SampleInfo& info) { return info.index_in_epoch; }));
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

}  // namespace
}  // namespace sluice::device
