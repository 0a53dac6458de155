// Steps that run on a GPU: image.gpu() moves the image there, operators follow it, and .cpu() moves
// it back. Without a GPU, this runs on the stand-in device, which produces the same pixels.
#include <sluice/cuda/host_device.h>
#include <sluice/sluice.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace sluice;

namespace {

std::shared_ptr<Device> some_device() {
  if (look_for_gpus().gpus.empty()) return std::make_shared<device::HostDevice>();
  return gpu(0);
}

Image draw(std::int64_t i) {
  Image image(90, 120, 3);
  std::memset(image.data(), static_cast<int>(i), 90 * image.row_bytes());
  return image;
}

}  // namespace

int main() {
  const std::shared_ptr<Device> device = some_device();
  const PipelineOptions options{.batch_size = 16, .seed = 42, .device = device};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto number = g.source(64, [](const SampleInfo& info) { return info.index; });
    auto image = g.map("draw", draw, number).gpu();
    auto turned = g.if_else(
        g.coin_flip(0.25f), [&] { return rotate(image, g.uniform(10.f, 30.f)); },
        [&] { return image; });
    auto tensor = resize_mirror_normalize(turned, {.height = 64, .width = 64, .dtype = DType::f16});
    return tensor.cpu();
  });
  std::size_t tensors = 0;
  for (const auto& [batch] : pipeline.epoch()) tensors += batch.size();
  std::printf("%zu tensors\n", tensors);
}
