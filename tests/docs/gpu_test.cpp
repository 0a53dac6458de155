// The fragments of docs/gpu.md that are not part of an example.
#include "setup.h"
#include <sluice/cuda/host_device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>

namespace sluice::docs {
namespace gpu_test {

std::shared_ptr<Device> stand_in() { return std::make_shared<device::HostDevice>(); }

TEST(Gpus, BatchesStayOnTheDevice) {
  const PhotosFolder photos;
  const std::shared_ptr<Device> device = stand_in();
  const PipelineOptions options{.batch_size = 16, .seed = 42, .device = device};  // gpu(0)
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    auto image = decode_jpeg(jpeg.gpu());
    auto turned = g.if_else(
        g.coin_flip(0.25f), [&] { return rotate(image, g.uniform(10.f, 30.f)); },
        [&] { return image; });
    auto tensor = resize_mirror_normalize(turned, {.height = 64, .width = 64, .dtype = DType::f16});
    return std::tuple{tensor, label};
  });
  std::size_t images = 0;
  for (const auto& [tensors, labels] : pipeline.epoch()) {
    EXPECT_EQ(tensors.place().kind, MemoryKind::device);
    EXPECT_EQ(tensors.dtype(), DType::f16);
    for (const std::int64_t label : labels) EXPECT_EQ(label, 0);
    images += tensors.size();
  }
  EXPECT_EQ(images, static_cast<std::size_t>(kSamples));
}

TEST(Gpus, Predicates) {
  const PipelineOptions options{.batch_size = 4, .device = std::make_shared<device::HostDevice>()};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto image_there = g.map("image", image_of, indices(g)).gpu();
    auto image = resize(image_there, {.shorter = 16});
    auto lit = g.while_loop(
        image, [&](auto now) { return g.all_of(max(now) > 0, [&] { return mean(now) < 60; }); },
        [](auto now) { return brightness_contrast(now, {.brightness = 1.5f}); });
    return lit.cpu();
  });
  for (const auto& [images] : pipeline.epoch()) {
    for (const Image& image : images)
      EXPECT_TRUE(kernels::reduce(kernels::Reduction::mean, image.tensor()) >= 60 ||
                  kernels::reduce(kernels::Reduction::max, image.tensor()) == 0);
  }
}

TEST(Gpus, ANumberInTheStateOfALoop) {
  const PipelineOptions options{.batch_size = 4, .device = std::make_shared<device::HostDevice>()};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto image = g.map("image", image_of, indices(g)).gpu();
    auto [lit, last] = g.while_loop(
        std::tuple{image, mean(image)}, [](auto, auto light) { return light < 60; },
        [](auto dark, auto) {
          auto next = brightness_contrast(dark, {.contrast = 0.7f, .contrast_center = 255});
          return std::tuple{next, mean(next)};
        });
    return std::tuple{lit.cpu(), last};
  });
  for (const auto& [images, means] : pipeline.epoch()) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      EXPECT_GE(means[i], 60.f);
      EXPECT_EQ(means[i], kernels::reduce(kernels::Reduction::mean, images[i].tensor()));
    }
  }
}

}  // namespace gpu_test
}  // namespace sluice::docs
