// Composed maps of colors and of places produce the same pixels on a device as on the host, bit for
// bit, and the same errors.
#include "tests/cuda/test_device.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace compose_test {

using Describe = std::function<Value<Image>(Graph&, Value<Image>)>;

constexpr int kImages = 24;

struct Ran {
  std::vector<Image> images;
  std::vector<std::string> errors;
  std::string plan;
};

Ran run(const Describe& describe, bool there) {
  const PipelineOptions options{.batch_size = 7,
                                .seed = 3,
                                .device = there ? test_device() : nullptr,
                                .on_error = OnError::skip,
                                .compose = true};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto image = g.source(kImages, [](const SampleInfo& info) {
      const int n = static_cast<int>(info.index_in_epoch);
      return testing::make_image(19 + n % 5 * 8, 23 + n % 7 * 6, 1 + n % 4,
                                 static_cast<unsigned>(n));
    });
    auto result = describe(g, there ? image.gpu() : image);
    return there ? result.cpu() : result;
  });
  Ran ran;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.size(); ++k) ran.images.push_back(batch.get<0>()[k].clone());
    for (const SampleError& error : batch.errors()) ran.errors.push_back(error.what);
  }
  ran.plan = to_string(pipeline.plan());
  return ran;
}

const std::pair<const char*, Describe> kPrograms[] = {
    {"colors",
     [](Graph& g, Value<Image> image) {
       auto turned = color_twist(image, {.contrast = g.uniform(0.5f, 1.5f), .hue = 40.f});
       return saturation(invert(turned), g.uniform(0.f, 2.f));
     }},
    {"to one channel",
     [](Graph& g, Value<Image> image) {
       return invert(grayscale(saturation(image, g.uniform(0.f, 2.f))));
     }},
    {"three of one",
     [](Graph& g, Value<Image> image) {
       auto gray = grayscale(grayscale(image), {.channels = 3});
       return color_twist(gray, {.brightness = g.uniform(0.5f, 1.5f)});
     }},
    {"orders, not of gray images",
     [](Graph& g, Value<Image> image) {
       auto other = permute_channels(image, {.first = 2, .third = 0});
       return brightness_contrast(other, {.brightness = g.uniform(0.5f, 1.5f)});
     }},
    {"warps",
     [](Graph& g, Value<Image> image) {
       auto sheared = shear(image, {.x = g.uniform(-0.3f, 0.3f), .fill = 5});
       auto turned = rotate(flip(sheared, {.horizontal = g.coin_flip(0.5f)}),
                            g.uniform(-90.f, 90.f), {.fill = 5});
       return translate(turned, {.x = g.uniform(-9.f, 9.f), .fill = 5});
     }},
    {"nearest",
     [](Graph& g, Value<Image> image) {
       auto turned =
           rotate(image, g.uniform(-20.f, 20.f), {.interpolation = Interpolation::nearest});
       return warp_affine(turned, {.xx = 0.5f, .yy = 1.5f},
                          {.height = 33, .width = 20, .interpolation = Interpolation::nearest});
     }},
    {"edges",
     [](Graph& g, Value<Image> image) {
       auto moved = translate(image, {.x = 0.2f, .relative = true, .border = Border::edge});
       return shear(moved, {.y = g.uniform(-0.5f, 0.5f), .border = Border::edge});
     }},
    {"in a branch, with a number that the host draws between the steps",
     [](Graph& g, Value<Image> image) {
       return g.if_else(
           g.coin_flip(0.5f),
           [&] {
             auto turned = rotate(image, g.uniform(-20.f, 20.f));
             return shear(turned, {.x = g.uniform(-0.3f, 0.3f)});
           },
           [&] { return image; });
     }},
};

TEST(DeviceCompose, GivesWhatTheHostGives) {
  for (const auto& [name, describe] : kPrograms) {
    const Ran host = run(describe, false), there = run(describe, true);
    EXPECT_NE(host.plan.find("composed of"), std::string::npos) << name << "\n" << host.plan;
    EXPECT_NE(there.plan.find("composed of"), std::string::npos) << name << "\n" << there.plan;
    EXPECT_EQ(there.errors, host.errors) << name;
    ASSERT_EQ(there.images.size(), host.images.size()) << name;
    EXPECT_FALSE(host.images.empty()) << name;
    for (std::size_t i = 0; i < host.images.size(); ++i)
      EXPECT_EQ(testing::largest_difference(there.images[i], host.images[i]), 0)
          << name << ", number " << i;
  }
}

}  // namespace compose_test
}  // namespace sluice::device
