// The fragments of docs/from-dali.md.
#include "setup.h"
#include <sluice/cuda/host_device.h>

#include <memory>
#include <tuple>

namespace sluice::docs {
namespace from_dali_test {

TEST(FromDali, APipelineForTraining) {
  const PhotosFolder photos;
  const int epochs = 2;
  std::int64_t seen = 0;
  const auto step = [&](const TensorBatch& tensors, const Items<std::int64_t>& labels) {
    EXPECT_EQ(tensors.shape(), (Shape{kSamples, 3, 224, 224}));
    // Image i is level 10 * i, made lighter or darker by at most a fifth, and normalized.
    const float lightest = (1.f - kImageNetMean[0]) / kImageNetStd[0];
    for (std::int64_t i = 0; i < 3 * 224 * 224; ++i)
      EXPECT_LE(tensors.data<float>()[i], lightest + 1.f);
    seen += static_cast<std::int64_t>(labels.size());
  };
  const PipelineOptions options{.batch_size = 64, .seed = 42, .threads = 8};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    auto image = random_resized_crop(jpeg, {.height = 224, .width = 224, .min_area = 0.08f});
    auto turned = g.apply_if(g.coin_flip(0.25f), image, [&](auto input) {
      return rotate(input, g.uniform(10.f, 30.f), {.keep_size = true, .fill = 0});
    });
    auto bright = brightness_contrast(turned, {.brightness = g.uniform(0.8f, 1.2f)});
    auto tensor = crop_mirror_normalize(
        bright, {.mirror = g.coin_flip(), .mean = kImageNetMean, .std = kImageNetStd});
    return std::tuple{tensor, label};
  });
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [tensors, labels] : pipeline.epoch()) step(tensors, labels);
  }
  EXPECT_EQ(seen, epochs * kSamples);
}

TEST(FromDali, TheSameOnAGpu) {
  const PhotosFolder photos;
  const std::shared_ptr<Device> stand_in = std::make_shared<device::HostDevice>();
  const auto gpu = [&](int) -> const std::shared_ptr<Device>& { return stand_in; };
  const auto own_stream = stand_in->make_stream();
  void* const stream = own_stream->native();
  std::int64_t seen = 0;
  const auto step = [&](const TensorBatch& tensors, const Items<std::int64_t>& labels, void*) {
    EXPECT_EQ(tensors.shape(), (Shape{kSamples, 3, 224, 224}));
    EXPECT_EQ(tensors.dtype(), DType::f16);
    EXPECT_EQ(tensors.place().kind, MemoryKind::device);
    seen += static_cast<std::int64_t>(labels.size());
  };
  const PipelineOptions options{.batch_size = 256, .seed = 42, .threads = 16, .device = gpu(0)};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    auto image = decode_jpeg(jpeg.gpu(), random_region(jpeg, {.min_area = 0.08f}));
    auto small = resize(image, {.height = 224, .width = 224});
    auto turned = g.apply_if(g.coin_flip(0.25f), small, [&](auto input) {
      return rotate(input, g.uniform(10.f, 30.f), {.keep_size = true, .fill = 0});
    });
    auto tensor = crop_mirror_normalize(
        turned,
        {.mirror = g.coin_flip(), .mean = kImageNetMean, .std = kImageNetStd, .dtype = DType::f16});
    return std::tuple{tensor, label};
  });
  for (const auto& batch : pipeline.epoch()) {
    batch.wait_on(stream);
    step(batch.get<0>(), batch.get<1>(), stream);
    batch.release_after(stream);
  }
  EXPECT_EQ(seen, kSamples);
}

}  // namespace from_dali_test
}  // namespace sluice::docs
