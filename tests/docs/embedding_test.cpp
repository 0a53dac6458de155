// The fragments of docs/embedding.md.
#include "setup.h"
#include <sluice/cuda/host_device.h>
#include <sluice/ops/kernels/warp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sluice::docs {
namespace embedding_test {

using Photos = Pipeline<Image, std::int64_t>;  // the types of the outputs

Photos open_photos(const std::string& folder) {
  return make_pipeline({.batch_size = 8, .threads = 2}, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(folder));
    return std::tuple{resize(decode_jpeg(jpeg), {.height = 48, .width = 64}), label};
  });
}

TEST(Embedding, APipelineHasAType) {
  const PhotosFolder folder;
  Photos photos = open_photos("photos");
  std::size_t images = 0;
  for (const Batch<Image, std::int64_t>& batch : photos.epoch()) {
    EXPECT_EQ(batch.get<0>()[0].height(), 48);
    EXPECT_EQ(batch.get<1>()[0], 0);
    images += batch.size();
  }
  EXPECT_EQ(images, static_cast<std::size_t>(kSamples));
}

Bytes thumbnail(const Bytes& file) {
  Image image, small, turned;
  decode_image_file(file, {}, image);
  kernels::resize(image, 48, 64, Interpolation::bilinear, small);  // height, width
  kernels::rotate(small, 10.f, {.fill = 255}, turned);
  return encode_jpeg(turned, {.quality = 90});
}

TEST(Embedding, KernelsArePlainFunctions) {
  Image image;
  decode_image_file(thumbnail(jpeg_file(10)), {}, image);  // of an image of level 100
  const kernels::RotationGeometry canvas = kernels::rotation_geometry_of(48, 64, 10.f, false);
  EXPECT_EQ(image.height(), canvas.height);
  EXPECT_EQ(image.width(), canvas.width);
  EXPECT_NEAR(image.at(image.height() / 2, image.width() / 2, 0), 100, 2);
  EXPECT_GT(image.at(0, 0, 0), 200);
}

struct Logger {
  std::vector<std::string> warnings;
  void warn(std::string_view text) { warnings.emplace_back(text); }
};

TEST(Embedding, AHandlerReceivesMessages) {
  const auto logger = std::make_shared<Logger>();
  set_log_handler([logger](std::string_view message) { logger->warn(message); });
  (void)make_pipeline({.device = std::make_shared<device::HostDevice>()},
                      [](Graph& g) { return indices(g); });
  set_log_handler({});
  ASSERT_EQ(logger->warnings.size(), 1u);
  EXPECT_EQ(logger->warnings[0].find("device is '"), 0u) << logger->warnings[0];
}

}  // namespace embedding_test
}  // namespace sluice::docs
