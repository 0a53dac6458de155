// The fragment of docs/gpu.md that is not part of an example.
#include "setup.h"
#include <sluice/cuda/host_device.h>

#include <memory>

namespace sluice::docs {
namespace {

TEST(Gpus, Predicates) {
  const PipelineOptions options{.batch_size = 4, .device = std::make_shared<device::HostDevice>()};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto picture_there = g.map("picture", picture, indices(g)).gpu();
    auto image = resize(picture_there, {.shorter = 16});
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

}  // namespace
}  // namespace sluice::docs
